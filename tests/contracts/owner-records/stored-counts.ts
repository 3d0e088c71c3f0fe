import { beforeAll, expect, test } from '@jest/globals';
import { LIFECYCLE_STATES } from '../../../domain/decisions/lifecycle.ts';
import type { TrackRecordFilter } from '../../../domain/decisions/own/owner-records.ts';
import { trackRecord } from '../../../domain/decisions/own/track-record.ts';
import { RESULT_BUCKETS } from '../../../domain/grading/outcome.ts';
import type { NewWorkflow } from '../../../domain/workflows/workflow.ts';
import { auditedModeration } from '../../builders/audited-moderation.ts';
import type { AgentCaller } from '../../builders/decisions.ts';
import { aGraded, anOutcome, aSuspectedOutcome } from '../../builders/outcomes.ts';
import { someSnapshot } from '../../builders/stored-workflows.ts';
import { race } from '../adapters.ts';
import type { Bench, DecisionContract } from '../decisions/bench.ts';
import { endOf, evaluateAll, FAR } from '../decisions/evaluated.ts';
import { addWorkflow, publish } from '../workflows/workflow-steps.ts';
import { ALL_COUNTED, isCounted, isSuspect } from './filters.ts';
import { naiveTallies } from './tallying.ts';

const SYMBOLS = ['BTC', 'ETH', 'SOL', 'DOGE', 'ADA'];

/** What is stored of counts is never seen: readers return what a count of the records returns, at each moment. */
export const storedCountsContract: DecisionContract = {
  name: 'counts of agents and workflows in motion',
  promises(bench) {
    let stage: Stage;
    beforeAll(async () => {
      stage = await stageOf(bench);
    });

    test('20 workers submit, archive, fold and read: every acknowledged record is counted, once', async () => {
      const { agents, owner_id, hash, ids } = stage;
      await race(20, async (worker) => {
        const agent = agents[worker % 2] ?? agents[0];
        const symbol = SYMBOLS[worker % 5] ?? 'BTC';
        for (let i = 0; i < 2; i += 1) {
          const atLeast = ids.length;
          const direction = i === 0 ? 'bullish' : 'bearish';
          const { record_id } = await bench.accepted(agent, { symbol, direction, workflow_ref: `wf:${hash}` });
          ids.push(record_id);
          if (worker % 5 === 0) await bench.storage().ownerRecords.archive(owner_id, record_id, null);
          await foldAndRead(bench, stage, worker, atLeast + 1);
        }
      });
      await expectCounted(bench, stage);
    });

    test('20 workers grade, give up, fold and read', async () => {
      const { verification, evaluations } = bench.storage();
      for (const instrument of await verification.awaitingVerification(FAR, 10)) {
        await verification.settleVerification(instrument, instrument.symbol === 'ADA' ? 'rejected' : 'verified');
      }
      const claimed = await evaluations.claimDue(FAR, FAR, 100);
      expect(claimed.length).toBeGreaterThan(20);
      const now = await bench.now();
      await race(20, async (worker) => {
        for (const each of claimed.filter((_, place) => place % 20 === worker)) {
          const end =
            worker % 4 === 0
              ? endOf(each, { kind: 'data_unavailable', reason: 'no_print', detail: 'Nothing.' })
              : endOf(each, worker % 4 === 1 ? aGraded(each.decision.record_id, aSuspectedOutcome()) : undefined);
          await evaluations.endEvaluations([end], now);
          await foldAndRead(bench, stage, worker, stage.ids.length);
        }
      });
      await expectCounted(bench, stage);
    });

    test('20 workers quarantine, release, fold and read', async () => {
      await race(20, async (worker) => {
        const moderation = auditedModeration(bench.storage());
        for (const record_id of stage.ids.filter((_, place) => place % 20 === worker)) {
          await moderation.quarantine(record_id, 'a test', await bench.now());
          await foldAndRead(bench, stage, worker, stage.ids.length);
          if (worker % 2 === 0) await moderation.release(record_id);
        }
      });
      await expectCounted(bench, stage);
    });

    test('what was released is evaluated again, and everything is folded', async () => {
      await evaluateAll(bench, anOutcome({ result_bucket: 'weak_incorrect' }));
      await expectCounted(bench, stage);
      while ((await bench.storage().cohortCells.foldTracks(3)) === 3);
      await expectCounted(bench, stage);
      await bench.storage().cohortCells.rebuild();
      await expectCounted(bench, stage);
    });

    test('the counts of a deleted owner go, also what is folded later, and the workflow keeps its uses', async () => {
      const { agents, workflow, hash } = stage;
      const leaving = await bench.agent();
      for (const fold of [0, 100]) {
        await bench.accepted(leaving, { symbol: SYMBOLS[fold % 3] ?? 'BTC', workflow_ref: `wf:${hash}` });
        await bench.storage().cohortCells.foldTracks(fold);
      }
      await evaluateAll(bench);
      const { others } = await bench.storage().workflowReader.usage(workflow, 1);
      expect(others).toMatchObject({ total: 2, enoughProducers: true });
      await bench.operators().ownerAdministration.remove(leaving.owner_id);
      await bench.storage().cohortCells.foldTracks(100);
      expect(await bench.storage().workflowReader.usage(workflow, 1)).toMatchObject({ others });
      expect(await bench.storage().ownerRecords.tally(leaving.owner_id, leaving.agent_id, ALL_COUNTED)).toBeNull();
      expect(await bench.storage().cohortCells.check()).toEqual([]);
      expect(agents).toHaveLength(2);
    });
  },
};

/** Two agents of one owner, with a workflow that their records name. */
interface Stage {
  readonly owner_id: string;
  readonly agents: readonly [AgentCaller, AgentCaller];
  readonly workflow: NewWorkflow;
  readonly hash: string;
  /** Of the records so far. */
  readonly ids: string[];
}

async function stageOf(bench: Bench): Promise<Stage> {
  const first = await bench.agent();
  const agents = [first, await bench.agent(first)] as const;
  const workflow = await addWorkflow(bench, first);
  const { hash } = await publish(bench, workflow, someSnapshot());
  return { owner_id: first.owner_id, agents, workflow, hash, ids: [] };
}

async function foldAndRead(bench: Bench, { owner_id, agents, workflow }: Stage, worker: number, atLeast: number) {
  if (worker % 3 === 0) await bench.storage().cohortCells.foldTracks(7);
  const { ownerOverview, ownerRecords, workflowReader } = bench.storage();
  const { by_state } = await ownerOverview.counts(owner_id);
  expect(Object.values(by_state).reduce((a, b) => a + b)).toBeGreaterThanOrEqual(atLeast);
  expect(Math.min(...Object.values(by_state))).toBeGreaterThanOrEqual(0);
  const tally = await ownerRecords.tally(owner_id, agents[0].agent_id, ALL_COUNTED);
  if (!tally) throw new Error('The owner has this agent.');
  const { all_agents, pending_count } = trackRecord(agents[0].agent_id, tally);
  expect(all_agents.submission_count).toBeGreaterThanOrEqual(atLeast);
  expect(pending_count).toBeGreaterThanOrEqual(0);
  const { own, others } = await workflowReader.usage(workflow, 1);
  expect(own.total).toBeGreaterThanOrEqual(atLeast);
  expect(others.total).toBe(0);
}

/** Filters by which cells keep the records of an owner apart. */
const COUNTED_IN_CELLS: readonly Partial<TrackRecordFilter>[] = [
  { symbols: ['crypto:BTC'] },
  { symbols: ['crypto:ETH', 'crypto:SOL'], has_outcome: false },
  { direction: 'bullish' },
  { direction: 'bearish', result_bucket: 'weak_incorrect' },
];

/** All counts equal those of the records. */
async function expectCounted(bench: Bench, { owner_id, agents, workflow, ids }: Stage): Promise<void> {
  const { decisions, ownerOverview, ownerRecords, workflowReader, cohortCells } = bench.storage();
  const records = await decisions.find(ids, null);
  const numbers = <Name extends string>(names: readonly Name[], of: (record: (typeof records)[number]) => unknown) =>
    Object.fromEntries(names.map((name) => [name, records.filter((record) => of(record) === name).length]));
  const evaluated = records.filter((each) => each.lifecycle_state === 'evaluated' && !isSuspect(each));
  const by_bucket = numbers(RESULT_BUCKETS, (record) => evaluated.includes(record) && record.result_bucket);
  expect(await ownerOverview.counts(owner_id)).toMatchObject({
    by_state: numbers(LIFECYCLE_STATES, ({ lifecycle_state }) => lifecycle_state),
    by_bucket,
    archived: records.filter(({ archived_at }) => archived_at !== null).length,
  });
  for (const { agent_id } of agents) {
    const tally = await ownerRecords.tally(owner_id, agent_id, ALL_COUNTED);
    if (!tally) throw new Error('The owner has this agent.');
    const { agent_count, windows, knowledge, further } = tally;
    const tallies = naiveTallies(records, agent_id);
    expect(trackRecord(agent_id, tally)).toEqual(
      trackRecord(agent_id, { agent_count, windows, knowledge, further, tallies }),
    );
    for (const filter of COUNTED_IN_CELLS) {
      const of = await ownerRecords.tally(owner_id, agent_id, { ...ALL_COUNTED, ...filter });
      const selected = records.filter((record) => isCounted(record, { ...ALL_COUNTED, ...filter }));
      const expected = { agent_count, windows, knowledge, further, tallies: naiveTallies(selected, agent_id) };
      expect(of && trackRecord(agent_id, of).all_agents).toEqual(trackRecord(agent_id, expected).all_agents);
    }
  }
  const last = Math.max(...records.map(({ submission_time }) => submission_time.getTime()));
  expect((await workflowReader.usage(workflow, 1)).own).toEqual({
    ...{ total: records.length, evaluated: evaluated.length, buckets: by_bucket, last_used_at: new Date(last) },
  });
  expect(await cohortCells.check()).toEqual([]);
}
