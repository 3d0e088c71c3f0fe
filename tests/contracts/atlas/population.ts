import fc from 'fast-check';
import { PERSPECTIVE_TYPES } from '../../../domain/decisions/call.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import { RESULT_BUCKETS } from '../../../domain/grading/outcome.ts';
import { DAY } from '../../../domain/time.ts';
import { type AgentCaller, aVerifiedAgent } from '../../builders/decisions.ts';
import { grade } from '../cohorts/universe.ts';
import { NOON } from '../decisions/adapters.ts';
import type { Bench } from '../decisions/bench.ts';

const CRYPTO = { market: 'crypto', asset_class: 'spot', quote_currency: 'USDT', venue: 'BINANCE' } as const;
const INSTRUMENTS = [
  { ...CRYPTO, symbol: 'BTC' },
  { ...CRYPTO, symbol: 'ETH' },
  { ...CRYPTO, symbol: 'BTC', asset_class: 'perp' },
  { ...CRYPTO, symbol: 'SOL', venue: 'OKX' },
] as const;

/** What some agents say; few values each, so that some of it reaches the thresholds and some does not. */
const SAYING = fc.record({
  instrument: fc.constantFrom(...INSTRUMENTS, INSTRUMENTS[0]),
  perspective_type: fc.constantFrom(undefined, ...PERSPECTIVE_TYPES.slice(0, 2)),
  workflow: fc.constantFrom(null, 0, 1, 2),
  /** Whole days before it is said; what is of the day is realtime. */
  age: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 70 })),
  owner: fc.integer({ min: 0, max: 5 }),
  bucket: fc.constantFrom(...RESULT_BUCKETS),
  part: fc.constantFrom('fine', 'fine', 'fine', 'fine', 'carried_open', 'suspected_split'),
});

/** So that records of both origins are of several months. */
const APART = 20 * DAY;

type Saying = typeof SAYING extends fc.Arbitrary<infer T> ? T : never;

export interface Populated {
  readonly agents: readonly AgentCaller[];
  /** The verified owners. */
  readonly verified: ReadonlySet<string>;
  /** Two public ones, then a private one. */
  readonly workflows: readonly string[];
}

/** Six owners, of whom the first five are verified, and three workflows of the first. */
export async function populate(bench: Bench): Promise<Populated> {
  const verified = await Promise.all(Array.from({ length: 5 }, () => aVerifiedAgent(bench.storage())));
  const agents = [...verified, await bench.agent()];
  const owner_id = agents[0]?.owner_id ?? '';
  const workflows: string[] = [];
  for (const visibility of ['public', 'public', 'private'] as const) {
    workflows.push(await bench.arrange().publish(owner_id, visibility));
  }
  return { agents, verified: new Set(verified.map((agent) => agent.owner_id)), workflows };
}

/** So many random records, graded; their ids. */
export async function say(bench: Bench, { agents, workflows }: Populated, count: number, seed: number) {
  await bench.arrange().freeze(new Date(NOON.getTime() + seed * APART));
  const now = await bench.now();
  const submit = async ({ instrument, perspective_type, workflow, age, owner, bucket, part }: Saying, n: number) => {
    const agent = agents[owner];
    if (!agent) throw new Error('There are agents');
    const said = {
      ...instrument,
      ...(perspective_type ? { perspective_type } : {}),
      ...(workflow === null ? {} : { workflow_ref: `wf:${workflows[workflow]}` }),
      horizon_kind: 'holding_seconds',
      horizon_value: 3_600,
      data_cutoff: new Date(now.getTime() - age * DAY).toISOString(),
    } as const;
    // Every third has two further horizons.
    const receipts =
      n % 3 === 2 ? await bench.group(agent, said, [3_600, 7_200, 86_400]) : [await bench.accepted(agent, said)];
    return receipts.map(({ record_id }) => ({ record_id, bucket, part }));
  };
  const ended = (await Promise.all(fc.sample(SAYING, { numRuns: count, seed }).map(submit))).flat();
  await grade(bench.storage(), ended, now);
  return ended.map(({ record_id }) => record_id);
}

export function recordsOf(bench: Bench, ids: readonly string[]): Promise<readonly Decision[]> {
  return bench.storage().decisions.find(ids, null);
}
