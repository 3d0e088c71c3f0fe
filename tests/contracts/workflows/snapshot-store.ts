import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { MINUTE } from '../../../domain/time.ts';
import type { Snapshot, SnapshotContent, SnapshotStore } from '../../../domain/workflows/snapshot.ts';
import type { Visibility } from '../../../domain/workflows/workflow.ts';
import { someSnapshot } from '../../builders/stored-workflows.ts';
import { race } from '../adapters.ts';
import type { DecisionContract } from '../decisions/bench.ts';

const ALL = { page: 1, per_page: 100 };

export interface Publisher {
  readonly id: string;
  readonly owner_id: string;
}

export const aPublisher = (changes: Partial<Publisher> = {}): Publisher => ({
  id: randomUUID(),
  owner_id: randomUUID(),
  ...changes,
});

export const snapshotStoreContract: DecisionContract = {
  name: 'snapshots of workflows',
  promises(bench) {
    const store = () => bench.storage().workflowSnapshots;
    const publish = (publisher: Publisher, visibility: Visibility, snapshot: Snapshot) =>
      store().publish({ ...publisher, visibility }, snapshot);

    test('what was published is found as it was, with the time', async () => {
      const owner = aPublisher();
      const text = 'é 𝄞 \u2028 " \\ \n and more';
      const snapshot = someSnapshot({
        name: text,
        nodes: [{ id: 'a', node_id: 'b.c', config: { z: [1, null], a: text } }],
      });
      const at = await bench.now();
      const published = { hash: snapshot.hash, visibility: 'public', at };
      expect(await publish(owner, 'public', snapshot)).toEqual({ ...published, is_new: true });
      expect(await store().find(snapshot.hash, null)).toEqual({ ...snapshot, visibility: 'public', at });
      const [listed] = (await store().history(owner.id, ALL)).items;
      expect(listed).toEqual({ hash: snapshot.hash, visibility: 'public', at, name: text, node_count: 1 });
    });

    test('a hash is public when any publication of it is, by any owner; otherwise only its owners see it', async () => {
      const [first, second, stranger] = [aPublisher(), aPublisher(), aPublisher()];
      const snapshot = someSnapshot();
      const seen = async () =>
        Promise.all(
          [first, second, stranger, null].map(
            async (viewer) => (await store().find(snapshot.hash, viewer?.owner_id ?? null))?.visibility,
          ),
        );
      expect(await seen()).toEqual([undefined, undefined, undefined, undefined]);
      await publish(first, 'private', snapshot);
      expect(await seen()).toEqual(['private', undefined, undefined, undefined]);
      await publish(second, 'private', snapshot);
      expect(await seen()).toEqual(['private', 'private', undefined, undefined]);
      await publish(second, 'public', snapshot);
      expect(await seen()).toEqual(['public', 'public', 'public', 'public']);
      await publish(second, 'private', snapshot);
      expect(await seen()).toEqual(['public', 'public', 'public', 'public']);
    });

    test('its time is that of the first publication that the viewer may see', async () => {
      const [owner, other] = [aPublisher(), aPublisher()];
      const snapshot = someSnapshot();
      const times: Date[] = [];
      for (const [publisher, visibility] of [
        [owner, 'private'],
        [owner, 'private'],
        [other, 'public'],
        [owner, 'public'],
      ] as const) {
        await bench.arrange().advance(MINUTE);
        times.push((await publish(publisher, visibility, snapshot)).at);
        const expected = visibility === 'private' ? times[0] : times[2];
        expect((await store().find(snapshot.hash, owner.owner_id))?.at).toEqual(expected);
      }
      expect((await store().find(snapshot.hash, null))?.at).toEqual(times[2]);
    });

    test('a history lists every publication, the newest first, page by page', async () => {
      const owner = aPublisher();
      const snapshots = [someSnapshot(), someSnapshot(), someSnapshot()];
      for (const snapshot of snapshots) await publish(owner, 'private', snapshot);
      await publish(owner, 'public', snapshots[0] ?? someSnapshot());
      await publish(aPublisher({ owner_id: owner.owner_id }), 'public', someSnapshot());
      const expected = [snapshots[0], ...snapshots.toReversed()].map((snapshot) => snapshot?.hash);
      const page = async (number: number) => {
        const { items, total } = await store().history(owner.id, { page: number, per_page: 3 });
        return { hashes: items.map(({ hash }) => hash), total };
      };
      expect(await page(1)).toEqual({ hashes: expected.slice(0, 3), total: 4 });
      expect(await page(2)).toEqual({ hashes: expected.slice(3), total: 4 });
      expect(await page(3)).toEqual({ hashes: [], total: 4 });
      expect(await store().history(randomUUID(), ALL)).toEqual({ items: [], total: 0 });
    });

    test('the newest public snapshot of a workflow is its last public publication', async () => {
      const owner = aPublisher();
      const [first, second, third] = [someSnapshot(), someSnapshot(), someSnapshot()];
      expect(await store().newestPublic(owner.id)).toBeNull();
      await publish(owner, 'private', third);
      expect(await store().newestPublic(owner.id)).toBeNull();
      for (const snapshot of [first, second, first]) await publish(owner, 'public', snapshot);
      await publish(owner, 'private', third);
      await publish(aPublisher({ owner_id: owner.owner_id }), 'public', second);
      expect(await store().newestPublic(owner.id)).toEqual(first);
    });

    test('a content under the hash of another is refused and writes nothing', async () => {
      const owner = aPublisher();
      const [{ hash }, { content }] = [someSnapshot(), someSnapshot()];
      await expect(publish(owner, 'public', { hash, content })).rejects.toThrow();
      expect(await store().find(hash, owner.owner_id)).toBeNull();
      expect(await store().history(owner.id, ALL)).toEqual({ items: [], total: 0 });
    });

    test('20 who publish one content at once have a publication each, of one snapshot', async () => {
      expect(await publishedAtOnce(store())).toEqual({ acknowledged: 20, newOnes: 1, publications: 20, contents: 1 });
    });

    test('a rollback undoes what a transaction published', async () => {
      const owner = aPublisher();
      const snapshot = someSnapshot();
      const fault = new Error('the work failed');
      const work = bench.storage().transaction(async ({ workflowSnapshots }) => {
        await workflowSnapshots.publish({ ...owner, visibility: 'public' }, snapshot);
        throw fault;
      });
      await expect(work).rejects.toBe(fault);
      expect(await store().find(snapshot.hash, owner.owner_id)).toBeNull();
      expect((await store().history(owner.id, ALL)).total).toBe(0);
    });
  },
};

/** 20 publish the same content, each under a workflow of their own. */
export async function publishedAtOnce(store: Pick<SnapshotStore, 'publish' | 'history' | 'find'>) {
  const snapshot = someSnapshot({ name: 'alike' } satisfies Partial<SnapshotContent>);
  const publishers = Array.from({ length: 20 }, () => aPublisher());
  const results = await Promise.allSettled(
    publishers.map((publisher) => store.publish({ ...publisher, visibility: 'private' }, snapshot)),
  );
  const histories = await race(20, (worker) => store.history(publishers[worker]?.id ?? '', ALL));
  const found = await race(20, (worker) => store.find(snapshot.hash, publishers[worker]?.owner_id ?? null));
  return {
    acknowledged: results.filter(({ status }) => status === 'fulfilled').length,
    newOnes: results.filter((each) => each.status === 'fulfilled' && each.value.is_new).length,
    publications: histories.reduce((sum, { total }) => sum + total, 0),
    contents: new Set(found.map((each) => each?.content)).size,
  };
}
