import { expect, test } from '@jest/globals';
import type { CohortRules } from '../../../domain/cohorts/suppression.ts';
import type { Snapshot } from '../../../domain/workflows/snapshot.ts';
import type { MarketplaceRequest } from '../../../domain/workflows/workflow-reader.ts';
import { aVerifiedAgent, randomName } from '../../builders/decisions.ts';
import { someSnapshot } from '../../builders/stored-workflows.ts';
import type { DecisionContract } from '../decisions/bench.ts';
import { addWorkflow, publish, recordsUsing } from './workflow-steps.ts';

const FEW: CohortRules = { minProducers: 2, minSamples: 3, ownerProof: 'none' };

export const marketplaceContract: DecisionContract = {
  name: 'the marketplace',
  promises(bench) {
    /** What a search for a word of this test's own finds. */
    const shown = (search: string, changes: Partial<MarketplaceRequest> = {}) =>
      bench.storage().workflowReader.marketplace({
        ...{ tag: null, search, sort: 'newest', thresholds: FEW, page: 1, per_page: 100, ...changes },
      });
    const namesIn = async (...args: Parameters<typeof shown>) => (await shown(...args)).items.map(({ name }) => name);

    test('shows public workflows as they were last published for everybody, nothing of the draft', async () => {
      const owner = await bench.agent();
      const word = randomName();
      const workflow = await addWorkflow(bench, owner, {
        name: `draft ${word}`,
        tags: ['draft'],
        description: 'draft',
      });
      expect(await shown(word)).toEqual({ items: [], total: 0 });
      const [first, second] = ['first', 'second'].map((name) =>
        someSnapshot({ name: `${name} ${word}`, tags: [name], nodes: [{ id: 'a', node_id: 'b.c', config: {} }] }),
      ) as [Snapshot, Snapshot];
      await publish(bench, workflow, first);
      const { at } = await publish(bench, workflow, second);
      await publish(bench, workflow, someSnapshot({ name: `hidden ${word}` }), 'private');
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
      const [hidden, never, gone, back] = await Promise.all([
        addWorkflow(bench, owner),
        addWorkflow(bench, owner),
        addWorkflow(bench, owner),
        addWorkflow(bench, owner),
      ]);
      for (const workflow of [hidden, gone, back]) await publish(bench, workflow, someSnapshot({ name: word }));
      await publish(bench, never, someSnapshot({ name: word }), 'private');
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
      for (const content of published) await publish(bench, await addWorkflow(bench, owner), someSnapshot(content));
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

    test('contains each on one page, the newest first, and the total', async () => {
      const owner = await bench.agent();
      const word = randomName();
      for (const each of [1, 2, 3, 4, 5]) {
        await publish(bench, await addWorkflow(bench, owner), someSnapshot({ name: `${word} ${each}` }));
      }
      const page = (number: number) => shown(word, { page: number, per_page: 2 });
      const pages = [await page(1), await page(2), await page(3), await page(4)];
      expect(pages.map(({ total }) => total)).toEqual([5, 5, 5, 5]);
      const names = pages.map(({ items }) => items.map(({ name }) => name.slice(-1)));
      expect(names).toEqual([['5', '4'], ['3', '2'], ['1'], []]);
    });

    test('where only verified owners count, decisions are counted once enough of them made some', async () => {
      const [owner, one, two] = [await bench.agent(), await aVerifiedAgent(bench.storage()), await bench.agent()];
      const word = randomName();
      const { hash } = await publish(bench, await addWorkflow(bench, owner), someSnapshot({ name: word }));
      const counts = async () => {
        const ways = (['newest', 'most_used'] as const).flatMap((sort) =>
          (['none', 'verified'] as const).map((ownerProof) => ({ sort, thresholds: { ...FEW, ownerProof } })),
        );
        const read = await Promise.all(ways.map((way) => shown(word, way)));
        return read.map(({ items }) => items[0]?.decision_count);
      };
      await recordsUsing(bench, [one, two, two], [hash]);
      expect(await counts()).toEqual([3, null, 3, null]);
      await recordsUsing(bench, [await aVerifiedAgent(bench.storage())], [hash]);
      expect(await counts()).toEqual([4, 4, 4, 4]);
    });

    test('counts public decisions, of enough producers only, and sorts by what it counts', async () => {
      const [owner, one, two] = [await bench.agent(), await bench.agent(), await bench.agent()];
      const word = randomName();
      const workflows = [];
      for (const name of ['unused', 'by one', 'by two', 'most used']) {
        const snapshots = [someSnapshot({ name: `${name} ${word}` }), someSnapshot({ name: `${name} ${word}` })];
        const workflow = await addWorkflow(bench, owner);
        for (const snapshot of snapshots) await publish(bench, workflow, snapshot);
        workflows.push({ ...workflow, hashes: snapshots.map(({ hash }) => hash) });
      }
      const [, byOne, byTwo, most] = workflows.map(({ hashes }) => hashes);
      await recordsUsing(bench, [one, one, one, one, one, one], byOne?.slice(1));
      await recordsUsing(bench, [one, two, two], byTwo);
      await recordsUsing(bench, [one, two, one, two], most);
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
      await publish(bench, workflows[1] ?? (await addWorkflow(bench, owner)), someSnapshot({ name: `by one ${word}` }));
      expect(await counted('most_used')).toEqual([
        ['most used', 4],
        ['by two', 3],
        ['by one', null],
        ['unused', null],
      ]);
      expect((await counted('newest'))[0]).toEqual(['by one', null]);
      const quarantined = await recordsUsing(bench, [two], most);
      expect((await counted('most_used'))[0]).toEqual(['most used', 5]);
      await bench.arrange().mark(quarantined[0] ?? '', { quarantine_reason: 'for a test' });
      expect((await counted('most_used'))[0]).toEqual(['most used', 4]);
    });
  },
};
