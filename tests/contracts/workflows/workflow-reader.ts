import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { RESULT_BUCKETS } from '../../../domain/market/outcome.ts';
import { MINUTE } from '../../../domain/time.ts';
import type { Snapshot } from '../../../domain/workflows/snapshot.ts';
import type { MarketplaceRequest } from '../../../domain/workflows/workflow-reader.ts';
import type { NewWorkflow } from '../../../domain/workflows/workflow-store.ts';
import { type AgentCaller, randomName } from '../../builders/decisions.ts';
import { aWorkflowOf, someSnapshot } from '../../builders/stored-workflows.ts';
import { grade } from '../cohorts/universe.ts';
import type { Bench, DecisionContract } from '../decisions/bench.ts';

const NONE = { strong_correct: 0, weak_correct: 0, weak_incorrect: 0, strong_incorrect: 0 };
const NOTHING = { total: 0, evaluated: 0, buckets: NONE, last_used_at: null };
const FEW = { minProducers: 2, minSamples: 3 };

export const workflowReaderContract: DecisionContract = {
  name: 'workflows as others see them',
  promises(bench) {
    async function kept(owner: { readonly owner_id: string }, changes: Partial<NewWorkflow> = {}) {
      const workflow = aWorkflowOf(owner, { visibility: 'public', ...changes });
      await bench.storage().workflows.add(workflow, 100);
      return workflow;
    }
    const publish = (workflow: NewWorkflow, snapshot: Snapshot, visibility = workflow.visibility) =>
      bench.storage().workflowSnapshots.publish({ ...workflow, visibility }, snapshot);

    /** What a search for a word of this test's own finds. */
    const shown = (search: string, changes: Partial<MarketplaceRequest> = {}) =>
      bench.storage().workflowReader.marketplace({
        ...{ tag: null, search, sort: 'newest', thresholds: FEW, page: 1, per_page: 100, ...changes },
      });
    const namesIn = async (...asked: Parameters<typeof shown>) => (await shown(...asked)).items.map(({ name }) => name);

    describe('the marketplace', () => {
      test('shows public workflows as they were last published for everybody, nothing of the draft', async () => {
        const owner = await bench.agent();
        const word = randomName();
        const workflow = await kept(owner, { name: `draft ${word}`, tags: ['draft'], description: 'draft' });
        expect(await shown(word)).toEqual({ items: [], total: 0 });
        const [first, second] = ['first', 'second'].map((name) =>
          someSnapshot({ name: `${name} ${word}`, tags: [name], nodes: [{ id: 'a', node_id: 'b.c', config: {} }] }),
        ) as [Snapshot, Snapshot];
        await publish(workflow, first);
        const { at } = await publish(workflow, second);
        await publish(workflow, someSnapshot({ name: `hidden ${word}` }), 'private');
        const item = {
          id: workflow.id,
          hash: second.hash,
          name: `second ${word}`,
          description: 'Says what.',
          tags: ['second'],
          node_count: 1,
          published_at: at,
          decision_count: null,
        };
        expect(await shown(word)).toEqual({ items: [item], total: 1 });
        for (const search of [`draft ${word}`, `first ${word}`, `hidden ${word}`]) {
          expect(await shown(search)).toEqual({ items: [], total: 0 });
        }
      });

      test('shows none that is private now, none that was never published for everybody, none that is gone', async () => {
        const owner = await bench.agent();
        const word = randomName();
        const { workflows } = bench.storage();
        const [hidden, never, gone, back] = await Promise.all([kept(owner), kept(owner), kept(owner), kept(owner)]);
        for (const workflow of [hidden, gone, back]) await publish(workflow, someSnapshot({ name: word }));
        await publish(never, someSnapshot({ name: word }), 'private');
        await workflows.update(hidden.id, owner.owner_id, 1, { visibility: 'private' });
        await workflows.update(back.id, owner.owner_id, 1, { visibility: 'private' });
        await workflows.update(back.id, owner.owner_id, 2, { visibility: 'public' });
        await workflows.remove(gone.id, owner.owner_id);
        expect((await shown(word)).items.map(({ id }) => id)).toEqual([back.id]);
      });

      test('is narrowed by a tag and by a part of the name in any case, every character for itself', async () => {
        const owner = await bench.agent();
        const word = randomName();
        const published = [
          { name: `Ärger ${word} 100%`, tags: ['fx', 'a b'] },
          { name: `b_c ${word}`, tags: ['FX'] },
          { name: `bxc ${word}`, tags: [] },
        ];
        for (const content of published) await publish(await kept(owner), someSnapshot(content));
        const [first = '', second = '', third = ''] = published.map(({ name }) => name);
        expect(await namesIn(word)).toEqual([third, second, first]);
        expect(await namesIn(word, { tag: 'fx' })).toEqual([first]);
        expect(await namesIn(word, { tag: 'a b' })).toEqual([first]);
        expect(await namesIn(word, { tag: 'a' })).toEqual([]);
        expect(await namesIn(`ärGER ${word}`)).toEqual([first]);
        expect(await namesIn(`B_C ${word}`)).toEqual([second]);
        expect(await namesIn(`%${word}`)).toEqual([]);
        expect(await namesIn(`${word} 100%`, { tag: 'FX' })).toEqual([]);
      });

      test('has each on one page, the newest first, and tells how many there are', async () => {
        const owner = await bench.agent();
        const word = randomName();
        for (const each of [1, 2, 3, 4, 5]) {
          await publish(await kept(owner), someSnapshot({ name: `${word} ${each}` }));
        }
        const page = (number: number) => shown(word, { page: number, per_page: 2 });
        const pages = [await page(1), await page(2), await page(3), await page(4)];
        expect(pages.map(({ total }) => total)).toEqual([5, 5, 5, 5]);
        const names = pages.map(({ items }) => items.map(({ name }) => name.slice(-1)));
        expect(names).toEqual([['5', '4'], ['3', '2'], ['1'], []]);
      });

      test('counts public decisions, of enough producers only, and sorts by what it counts', async () => {
        const [owner, one, two] = [await bench.agent(), await bench.agent(), await bench.agent()];
        const word = randomName();
        const workflows = [];
        for (const name of ['unused', 'by one', 'by two', 'most used']) {
          const snapshots = [someSnapshot({ name: `${name} ${word}` }), someSnapshot({ name: `${name} ${word}` })];
          const workflow = await kept(owner);
          for (const snapshot of snapshots) await publish(workflow, snapshot);
          workflows.push({ ...workflow, hashes: snapshots.map(({ hash }) => hash) });
        }
        const [, byOne, byTwo, most] = workflows.map(({ hashes }) => hashes);
        await used(bench, [one, one, one, one, one, one], byOne?.slice(1));
        await used(bench, [one, two, two], byTwo);
        await used(bench, [one, two, one, two], most);
        await bench.accepted(one, { workflow_ref: `wf:${byTwo?.[0]}` });
        const counted = async (sort: MarketplaceRequest['sort']) =>
          (await shown(word, { sort })).items.map(({ name, decision_count }) => [
            name.replace(` ${word}`, ''),
            decision_count,
          ]);
        expect(await counted('newest')).toEqual([
          ['most used', 4],
          ['by two', 3],
          ['by one', null],
          ['unused', null],
        ]);
        await publish(workflows[1] ?? (await kept(owner)), someSnapshot({ name: `by one ${word}` }));
        expect(await counted('most_used')).toEqual([
          ['most used', 4],
          ['by two', 3],
          ['by one', null],
          ['unused', null],
        ]);
        expect((await counted('newest'))[0]).toEqual(['by one', null]);
        const quarantined = await used(bench, [two], most);
        expect((await counted('most_used'))[0]).toEqual(['most used', 5]);
        await bench.arrange().mark(quarantined[0] ?? '', { quarantine_reason: 'for a test' });
        expect((await counted('most_used'))[0]).toEqual(['most used', 4]);
      });
    });

    describe('the use of a workflow', () => {
      const usage = (workflow: NewWorkflow, producers = 2) => bench.storage().workflowReader.usage(workflow, producers);

      test('nothing was made with one that is new', async () => {
        const others = { ...NOTHING, enoughProducers: false };
        expect(await usage(await kept(await bench.agent()))).toEqual({ own: NOTHING, others, forks: 0, snapshots: 0 });
      });

      test('own records are counted in whatever state, those of others once they are public', async () => {
        const [owner, other] = [await bench.agent(), await bench.agent()];
        const workflow = await kept(owner);
        const { hash } = await publish(workflow, someSnapshot());
        for (const agent of [owner, other]) {
          await bench.accepted(agent, { workflow_ref: `wf:${hash}` });
          await bench.arrange().advance(MINUTE);
        }
        const open = await usage(workflow);
        expect([open.own, open.others]).toMatchObject([{ total: 1, evaluated: 0, buckets: NONE }, NOTHING]);
        expect(open.own.last_used_at).toEqual(new Date((await bench.now()).getTime() - 2 * MINUTE));
        const ids = await used(bench, [owner, other], [hash]);
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

      test('how they came out is counted in each bucket, and producers no further than asked', async () => {
        const [owner, one, two] = [await bench.agent(), await bench.agent(), await bench.agent()];
        const workflow = await kept(owner);
        const { hash } = await publish(workflow, someSnapshot());
        await used(bench, [one, one, two, two, owner], [hash]);
        const told = await usage(workflow);
        expect(told.others.buckets).toEqual({
          strong_correct: 1,
          weak_correct: 1,
          weak_incorrect: 1,
          strong_incorrect: 1,
        });
        expect(told.own.buckets).toEqual({ ...NONE, strong_correct: 1 });
        const enough = await Promise.all(
          [1, 2, 3].map(async (asked) => (await usage(workflow, asked)).others.enoughProducers),
        );
        expect(enough).toEqual([true, true, false]);
      });

      test('records of others that name a snapshot which is not public are not there', async () => {
        const [owner, other] = [await bench.agent(), await bench.agent()];
        const snapshot = someSnapshot();
        const [mine, theirs] = [
          await kept(owner, { visibility: 'private' }),
          await kept(other, { visibility: 'private' }),
        ];
        for (const workflow of [mine, theirs]) await publish(workflow, snapshot);
        await used(bench, [owner, other], [snapshot.hash]);
        expect((await usage(mine)).others).toEqual({ ...NOTHING, enoughProducers: false });
        expect((await usage(theirs)).own.total).toBe(1);
        await publish(theirs, snapshot, 'public');
        expect((await usage(mine)).others).toMatchObject({ total: 1, evaluated: 1 });
      });

      test('all contents count that it was published with, and none of another workflow', async () => {
        const owner = await bench.agent();
        const [workflow, other] = [await kept(owner), await kept(owner)];
        const [first, second, foreign] = [someSnapshot(), someSnapshot(), someSnapshot()];
        for (const snapshot of [first, second, first]) await publish(workflow, snapshot);
        await publish(other, foreign);
        await used(bench, [owner], [first.hash]);
        await used(bench, [owner], [second.hash]);
        await used(bench, [owner], [foreign.hash]);
        expect(await usage(workflow)).toMatchObject({ own: { total: 2 }, snapshots: 2 });
      });

      test('copies count, whoever made them, while they are there', async () => {
        const [owner, other] = [await bench.agent(), await bench.agent()];
        const workflow = await kept(owner);
        const fork = await kept(other, { forked_from: workflow.id });
        await kept(owner, { forked_from: workflow.id });
        await kept(owner, { forked_from: randomUUID() });
        expect((await usage(workflow)).forks).toBe(2);
        await bench.storage().workflows.remove(fork.id, other.owner_id);
        expect((await usage(workflow)).forks).toBe(1);
      });
    });
  },
};

/** Records of these agents that name the snapshots in turn, graded into the buckets in turn; their ids. */
export async function used(bench: Bench, agents: readonly AgentCaller[], hashes: readonly string[] = []) {
  const ids: string[] = [];
  for (const [place, agent] of agents.entries()) {
    const { record_id, workflow_hash } = await bench.accepted(agent, {
      workflow_ref: `wf:${hashes[place % hashes.length]}`,
    });
    if (workflow_hash === null) throw new Error('The record names no snapshot.');
    ids.push(record_id);
  }
  const graded = ids.map((record_id, place) => ({ record_id, bucket: RESULT_BUCKETS[place % 4] ?? 'weak_correct' }));
  await grade(bench.storage(), graded, await bench.now());
  return ids;
}
