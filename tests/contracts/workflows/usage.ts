import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { MINUTE } from '../../../domain/time.ts';
import type { NewWorkflow } from '../../../domain/workflows/workflow.ts';
import { aVerifiedAgent } from '../../builders/decisions.ts';
import { someSnapshot } from '../../builders/stored-workflows.ts';
import type { DecisionContract } from '../decisions/bench.ts';
import { addWorkflow, publish, recordsUsing } from './workflow-steps.ts';

const NONE = { strong_correct: 0, weak_correct: 0, weak_incorrect: 0, strong_incorrect: 0 };
const NOTHING = { total: 0, evaluated: 0, buckets: NONE, last_used_at: null };

export const usageContract: DecisionContract = {
  name: 'the use of a workflow',
  promises(bench) {
    const usage = (workflow: NewWorkflow, producers = 2) => bench.storage().workflowReader.usage(workflow, producers);

    test('nothing was made with one that is new', async () => {
      const others = { ...NOTHING, enoughProducers: false };
      expect(await usage(await addWorkflow(bench, await bench.agent()))).toEqual({
        own: NOTHING,
        others,
        forks: 0,
        snapshots: 0,
      });
    });

    test('own records are counted in whatever state, those of others once they are public', async () => {
      const [owner, other] = [await bench.agent(), await bench.agent()];
      const workflow = await addWorkflow(bench, owner);
      const { hash } = await publish(bench, workflow, someSnapshot());
      for (const agent of [owner, other]) {
        await bench.accepted(agent, { workflow_ref: `wf:${hash}` });
        await bench.arrange().advance(MINUTE);
      }
      const open = await usage(workflow);
      expect([open.own, open.others]).toMatchObject([{ total: 1, evaluated: 0, buckets: NONE }, NOTHING]);
      expect(open.own.last_used_at).toEqual(new Date((await bench.now()).getTime() - 2 * MINUTE));
      const ids = await recordsUsing(bench, [owner, other], [hash]);
      const closed = await usage(workflow);
      // What was open has come to its end with them.
      expect(closed.own).toMatchObject({ total: 2, evaluated: 2 });
      expect(closed.others).toMatchObject({ total: 2, evaluated: 2, enoughProducers: false });
      expect(Object.values(closed.others.buckets).reduce((a, b) => a + b)).toBe(2);
      for (const record_id of ids) await bench.arrange().mark(record_id, { quarantine_reason: 'for a test' });
      const after = await usage(workflow);
      expect(after.own).toMatchObject({ total: 2, evaluated: 1 });
      expect(after.others).toMatchObject({ total: 1, evaluated: 1 });
    });

    test('outcomes are counted by bucket, and producers only up to the requested number', async () => {
      const [owner, one, two] = [await bench.agent(), await bench.agent(), await bench.agent()];
      const workflow = await addWorkflow(bench, owner);
      const { hash } = await publish(bench, workflow, someSnapshot());
      await recordsUsing(bench, [one, one, two, two, owner], [hash]);
      const counts = await usage(workflow);
      expect(counts.others.buckets).toEqual({
        strong_correct: 1,
        weak_correct: 1,
        weak_incorrect: 1,
        strong_incorrect: 1,
      });
      expect(counts.own.buckets).toEqual({ ...NONE, strong_correct: 1 });
      const enough = await Promise.all(
        [1, 2, 3].map(async (producers) => (await usage(workflow, producers)).others.enoughProducers),
      );
      expect(enough).toEqual([true, true, false]);
    });

    test('where only verified owners count, the others add records and nothing else', async () => {
      const [owner, one, two] = [await bench.agent(), await aVerifiedAgent(bench.storage()), await bench.agent()];
      const workflow = await addWorkflow(bench, owner);
      const { hash } = await publish(bench, workflow, someSnapshot());
      await recordsUsing(bench, [one, two, two], [hash]);
      const { usage: verified } = bench.storage().workflowReader;
      const enough = async (producers: number) => (await verified(workflow, producers, 'verified')).others;
      expect([await enough(1), await enough(2)]).toMatchObject([
        { total: 3, enoughProducers: true },
        { total: 3, enoughProducers: false },
      ]);
    });

    test('records of others that name a private snapshot are not counted', async () => {
      const [owner, other] = [await bench.agent(), await bench.agent()];
      const snapshot = someSnapshot();
      const [mine, theirs] = [
        await addWorkflow(bench, owner, { visibility: 'private' }),
        await addWorkflow(bench, other, { visibility: 'private' }),
      ];
      for (const workflow of [mine, theirs]) await publish(bench, workflow, snapshot);
      await recordsUsing(bench, [owner, other], [snapshot.hash]);
      expect((await usage(mine)).others).toEqual({ ...NOTHING, enoughProducers: false });
      expect((await usage(theirs)).own.total).toBe(1);
      await publish(bench, theirs, snapshot, 'public');
      expect((await usage(mine)).others).toMatchObject({ total: 1, evaluated: 1 });
    });

    test('all contents of its publications count, and none of another workflow', async () => {
      const owner = await bench.agent();
      const [workflow, other] = [await addWorkflow(bench, owner), await addWorkflow(bench, owner)];
      const [first, second, foreign] = [someSnapshot(), someSnapshot(), someSnapshot()];
      for (const snapshot of [first, second, first]) await publish(bench, workflow, snapshot);
      await publish(bench, other, foreign);
      await recordsUsing(bench, [owner], [first.hash]);
      await recordsUsing(bench, [owner], [second.hash]);
      await recordsUsing(bench, [owner], [foreign.hash]);
      expect(await usage(workflow)).toMatchObject({ own: { total: 2 }, snapshots: 2 });
    });

    test('copies by any owner count as long as they exist', async () => {
      const [owner, other] = [await bench.agent(), await bench.agent()];
      const workflow = await addWorkflow(bench, owner);
      const fork = await addWorkflow(bench, other, { forked_from: workflow.id });
      await addWorkflow(bench, owner, { forked_from: workflow.id });
      await addWorkflow(bench, owner, { forked_from: randomUUID() });
      expect((await usage(workflow)).forks).toBe(2);
      await bench.storage().workflows.remove(fork.id, other.owner_id);
      expect((await usage(workflow)).forks).toBe(1);
    });
  },
};
