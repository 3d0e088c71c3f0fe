import fc from 'fast-check';
import { DIRECTIONS } from '../../../domain/decisions/call.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import { RELATIONS, type RelatedRecord } from '../../../domain/decisions/submission/submission.ts';
import { HOUR, MINUTE } from '../../../domain/time.ts';
import { auditedModeration } from '../../builders/audited-moderation.ts';
import type { AgentCaller } from '../../builders/decisions.ts';
import { aGraded } from '../../builders/outcomes.ts';
import type { Bench } from '../decisions/bench.ts';
import { endOf, FAR } from '../decisions/evaluated.ts';
import { sees } from './naive.ts';

/** Records of some owners, in all states, that point to each other and share cohorts and workflows. */
export interface Web {
  readonly agents: readonly AgentCaller[];
  /** As the storage has them now. */
  records(): Promise<readonly Decision[]>;
}

const NODE = fc.record({
  agent: fc.nat({ max: 4 }),
  direction: fc.constantFrom(DIRECTIONS[0], DIRECTIONS[0], DIRECTIONS[1]),
  /** Never verified, so never public. */
  rejected: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  /** Minutes: few values, so that records have the same data_cutoff. */
  age: fc.constantFrom(0, 0, 1, 60),
  workflow: fc.constantFrom(null, 0, 0, 1),
  links: fc.array(fc.record({ target: fc.nat({ max: 999 }), relation: fc.constantFrom(...RELATIONS) }), {
    maxLength: 5,
  }),
  quarantined: fc.integer({ min: 0, max: 7 }).map((n) => n === 0),
});
type NodeDrawn = typeof NODE extends fc.Arbitrary<infer T> ? T : never;

const ROUND = 12;

export async function aWeb(bench: Bench, rounds: number, seed: number): Promise<Web> {
  const [first, ...strangers] = await Promise.all([1, 2, 3, 4].map(() => bench.agent()));
  if (!first) throw new Error('There is an agent.');
  const agents = [first, await bench.agent(first), ...strangers];
  // The private one may be used by its owner alone.
  const hashes = [
    await bench.arrange().publish(first.owner_id, 'private'),
    await bench.arrange().publish(first.owner_id, 'public'),
  ];
  const ids: string[] = [];
  const records = () => bench.storage().decisions.find(ids, null);
  const drawn = fc.sample(NODE, { numRuns: rounds * ROUND, seed });
  for (let round = 0; round < rounds; round += 1) {
    const nodes = drawn.slice(round * ROUND, round * ROUND + ROUND);
    const before = await records();
    const made: string[] = [];
    for (const [n, node] of nodes.entries())
      made.push(...(await born(bench, agents, hashes, before, node, n % 4 === 3)));
    ids.push(...made);
    // Now and then records are pointed to before they are public; those of the last round stay open.
    if (round % 3 > 0 && round < rounds - 1) await grade(bench);
    for (const [i, { quarantined }] of nodes.entries()) {
      if (quarantined && made[i])
        await auditedModeration(bench.storage()).quarantine(made[i], 'made up', await bench.now());
    }
    await bench.arrange().advance(2 * HOUR);
  }
  return { agents, records };
}

async function born(
  bench: Bench,
  agents: readonly AgentCaller[],
  hashes: readonly string[],
  before: readonly Decision[],
  { agent: place, direction, rejected, age, workflow, links }: NodeDrawn,
  isGroup: boolean,
): Promise<readonly string[]> {
  const agent = agents[place % agents.length];
  if (!agent) throw new Error('There are agents.');
  const data_cutoff = new Date((await bench.now()).getTime() - age * MINUTE);
  const may = before.filter((each) => sees(each, agent.owner_id) && each.data_cutoff <= data_cutoff);
  const drawn = links.flatMap(({ target, relation }): RelatedRecord[] => {
    const found = may[target % may.length];
    if (!found || (relation === 'supersedes' && found.agent_id !== agent.agent_id)) return [];
    return [{ record_id: found.record_id, relation }];
  });
  // A submission names each relation to a record once.
  const related_records = [...new Map(drawn.map((each) => [`${each.relation} ${each.record_id}`, each])).values()];
  const hash = workflow === null ? undefined : hashes[workflow];
  const said = {
    ...(rejected ? { symbol: 'NOSUCH' } : {}),
    direction,
    data_cutoff: data_cutoff.toISOString(),
    ...(hash ? { workflow_ref: `wf:${hash}` } : {}),
    related_records,
  };
  const receipts = isGroup ? await bench.group(agent, said, [3_600, 7_200]) : [await bench.accepted(agent, said)];
  return receipts.map(({ record_id }) => record_id);
}

async function grade(bench: Bench): Promise<void> {
  const { verification, evaluations } = bench.storage();
  for (const instrument of await verification.awaitingVerification(FAR, 100)) {
    await verification.settleVerification(instrument, instrument.symbol === 'NOSUCH' ? 'rejected' : 'verified');
  }
  const claimed = await evaluations.claimDue(FAR, FAR, 1_000);
  const ends = claimed.map((each) => endOf(each, aGraded(each.decision.record_id)));
  await evaluations.endEvaluations(ends, await bench.now());
}
