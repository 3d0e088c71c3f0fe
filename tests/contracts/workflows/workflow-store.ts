import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { MINUTE } from '../../../domain/time.ts';
import type { NewWorkflow, WorkflowFilter, WorkflowStore } from '../../../domain/workflows/workflow.ts';
import { anOwner } from '../../builders/accounts.ts';
import { aWorkflowOf, someSnapshot } from '../../builders/stored-workflows.ts';
import { race } from '../adapters.ts';
import { type DecisionAdapter, NOON, type OpenedDecisions } from '../decisions/adapters.ts';

const NOTHING: WorkflowFilter = { visibility: null, tag: null, search: null };
const ALL = { page: 1, per_page: 100 };

/** The promises of a store of drafts, by a clock that the test moves. */
export function workflowStoreContract(adapter: DecisionAdapter): void {
  let opened: OpenedDecisions;
  let workflows: WorkflowStore;
  beforeAll(async () => {
    opened = await adapter.open();
    workflows = opened.storage.workflows;
  });
  afterAll(() => opened.close());

  async function someOwner() {
    const owner = anOwner();
    await opened.storage.owners.add(owner);
    return owner;
  }

  async function addWorkflow(changes: Partial<NewWorkflow> = {}): Promise<NewWorkflow> {
    const workflow = aWorkflowOf(changes.owner_id ? { owner_id: changes.owner_id } : await someOwner(), changes);
    await workflows.add(workflow, 100);
    return workflow;
  }

  const namesOf = async (owner_id: string, filter: Partial<WorkflowFilter> = {}) =>
    (await workflows.list(owner_id, { ...NOTHING, ...filter }, 'name_asc', ALL)).items.map(({ name }) => name);

  test('a workflow is found as it was added, as version 1', async () => {
    const nodes = [
      { id: 'one', node_id: 'any.thing', config: { z: 1, a: [1e300, -0.5, '\u2028é𝄞', null, {}], b: true } },
    ];
    const edges = [{ from: 'one.out', to: 'two.in' }];
    const tags = ['a', 'b,c', '"{}', 'a'];
    const added = await addWorkflow({ nodes, edges, tags, description: 'What\nit does', visibility: 'public' });
    const { forked_from, ...draft } = added;
    const expected = { ...draft, version: 1, published_hash: null, updated_at: added.created_at };
    expect(await workflows.find(added.id)).toEqual(expected);
    const [listed] = (await workflows.list(added.owner_id, NOTHING, 'updated_desc', ALL)).items;
    const { owner_id, nodes: _, edges: __, ...summary } = expected;
    expect(listed).toEqual({ ...summary, node_count: 1 });
  });

  test('an unknown id finds nothing', async () => {
    const { id } = aWorkflowOf(anOwner());
    expect(await workflows.find(id)).toBeNull();
    expect(await workflows.lock(id)).toBeNull();
    expect(await workflows.update(id, anOwner().owner_id, 1, { name: 'x' })).toBeNull();
    expect(await workflows.remove(id, anOwner().owner_id)).toBe(false);
  });

  test('a workflow of nobody is refused', async () => {
    await expect(workflows.add(aWorkflowOf(anOwner()), 10)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('20 workflows added at once stay within the limit, and those of others do not count', async () => {
    expect(await workflowsWithinLimitOf3(opened)).toBe(3);
    const [one, other] = [await someOwner(), await someOwner()];
    expect(await workflows.add(aWorkflowOf(one), 1)).toBe(true);
    expect(await workflows.add(aWorkflowOf(other), 1)).toBe(true);
    expect(await workflows.add(aWorkflowOf(one), 1)).toBe(false);
  });

  test('an update changes what it names, counts the version and notes the time', async () => {
    await opened.arrange.freeze(NOON);
    const { id, owner_id, ...before } = await addWorkflow({ name: 'Before', tags: ['kept'] });
    const updated = await workflows.update(id, owner_id, 1, { name: 'After', visibility: 'public', nodes: undefined });
    expect(updated).toMatchObject({
      name: 'After',
      tags: ['kept'],
      visibility: 'public',
      version: 2,
      updated_at: NOON,
    });
    expect(updated?.created_at).toEqual(before.created_at);
    expect(await workflows.find(id)).toEqual(updated);
    expect(await namesOf(owner_id, { search: 'AFTE' })).toEqual(['After']);
    const emptied = await workflows.update(id, owner_id, 2, { tags: [], description: '' });
    expect(emptied).toMatchObject({ name: 'After', tags: [], description: '', version: 3 });
  });

  test('an update of another version, or by somebody else, changes nothing', async () => {
    const { id, owner_id } = await addWorkflow();
    const before = await workflows.find(id);
    for (const version of [0, 2]) expect(await workflows.update(id, owner_id, version, { name: 'x' })).toBeNull();
    expect(await workflows.update(id, anOwner().owner_id, 1, { name: 'x' })).toBeNull();
    expect(await workflows.find(id)).toEqual(before);
  });

  test('of 20 updates of one version one is made', async () => {
    const { id, owner_id } = await addWorkflow();
    expect(await updatesOfOneVersion(workflows, id, owner_id)).toBe(1);
    expect(await workflows.find(id)).toMatchObject({ version: 2 });
  });

  test('20 who read and update in turn until it works are all kept', async () => {
    const { id, owner_id } = await addWorkflow();
    await race(20, async (worker) => {
      for (;;) {
        const { version, tags } = (await workflows.find(id)) ?? { version: 0, tags: [] };
        if (await workflows.update(id, owner_id, version, { tags: [...tags, String(worker)] })) return;
      }
    });
    const { version, tags = [] } = (await workflows.find(id)) ?? {};
    expect([version, new Set(tags).size]).toEqual([21, 20]);
  });

  test('only the owner removes it, and once', async () => {
    const { id, owner_id } = await addWorkflow();
    expect(await workflows.remove(id, anOwner().owner_id)).toBe(false);
    const removed = await race(20, () => workflows.remove(id, owner_id));
    expect(removed.filter(Boolean)).toHaveLength(1);
    expect(await workflows.find(id)).toBeNull();
    expect(await workflows.add(aWorkflowOf({ owner_id }), 1)).toBe(true);
  });

  test('what a transaction did is gone when it is undone', async () => {
    const [{ id, owner_id }, gone] = [await addWorkflow(), await addWorkflow()];
    const before = await workflows.find(id);
    const fault = new Error('the work failed');
    const added = aWorkflowOf({ owner_id });
    const work = opened.storage.transaction(async (stores) => {
      await stores.workflows.add(added, 10);
      await stores.workflows.update(id, owner_id, 1, { name: 'x' });
      await stores.workflows.remove(gone.id, gone.owner_id);
      throw fault;
    });
    await expect(work).rejects.toBe(fault);
    expect(await workflows.find(id)).toEqual(before);
    expect([await workflows.find(added.id), (await workflows.find(gone.id))?.id]).toEqual([null, gone.id]);
  });

  test('a lock keeps others from changing a workflow until the transaction ends', async () => {
    const { id, owner_id } = await addWorkflow();
    const { promise: isLocked, resolve: reportLock } = Promise.withResolvers<void>();
    const update = isLocked.then(() => workflows.update(id, owner_id, 1, { name: 'Later' }));
    await opened.storage.transaction(async (stores) => {
      const locked = await stores.workflows.lock(id);
      reportLock();
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await stores.workflows.find(id)).toEqual(locked);
    });
    expect(await update).toMatchObject({ name: 'Later', version: 2 });
  });

  describe('a list', () => {
    test('holds the owner’s alone, narrowed by visibility, tag and a part of the name', async () => {
      const { owner_id } = await addWorkflow({ name: 'Alpha', tags: ['fx', 'g10'] });
      await addWorkflow({ owner_id, name: 'Beta alpha', visibility: 'public' });
      await addWorkflow({ owner_id, name: 'Überblick', tags: ['fx'], visibility: 'public' });
      await addWorkflow({ name: 'Alpha of somebody else' });
      expect(await namesOf(owner_id)).toEqual(['Alpha', 'Beta alpha', 'Überblick']);
      expect(await namesOf(owner_id, { visibility: 'public' })).toEqual(['Beta alpha', 'Überblick']);
      expect(await namesOf(owner_id, { tag: 'fx' })).toEqual(['Alpha', 'Überblick']);
      expect(await namesOf(owner_id, { tag: 'f' })).toEqual([]);
      expect(await namesOf(owner_id, { search: 'ALPHA' })).toEqual(['Alpha', 'Beta alpha']);
      expect(await namesOf(owner_id, { search: 'übER' })).toEqual(['Überblick']);
      expect(await namesOf(owner_id, { search: 'alpha', visibility: 'public', tag: 'fx' })).toEqual([]);
    });

    test('is searched in any case, also where a letter has a form of its own at the end of a word', async () => {
      const { owner_id } = await addWorkflow({ name: 'ΟΔΟΣΑ' });
      await addWorkflow({ owner_id, name: 'Große STRAẞE' });
      expect(await namesOf(owner_id, { search: 'ΟΔΟΣ' })).toEqual(['ΟΔΟΣΑ']);
      expect(await namesOf(owner_id, { search: 'οδος' })).toEqual(['ΟΔΟΣΑ']);
      expect(await namesOf(owner_id, { search: 'strasse' })).toEqual(['Große STRAẞE']);
    });

    test('takes every character of the search for itself', async () => {
      const { owner_id } = await addWorkflow({ name: '100%' });
      for (const name of ['a_b', 'c\\d', 'axb', "it's", '1000', '.*']) await addWorkflow({ owner_id, name });
      const found = ['%', '_', '\\', "'", '.*', '0%'].map((search) => namesOf(owner_id, { search }));
      expect(await Promise.all(found)).toEqual([['100%'], ['a_b'], ['c\\d'], ["it's"], ['.*'], ['100%']]);
    });

    test('is sorted as it is asked for, the newest by default', async () => {
      const { owner_id } = await someOwner();
      const at = (minutes: number) => new Date(NOON.getTime() + minutes * MINUTE);
      await opened.arrange.freeze(NOON);
      const first = await addWorkflow({ owner_id, name: 'b', created_at: at(-3) });
      await addWorkflow({ owner_id, name: 'B', created_at: at(-2) });
      await addWorkflow({ owner_id, name: '𝄞', created_at: at(-1) });
      await addWorkflow({ owner_id, name: '\uffee', created_at: at(-1.5) });
      await workflows.update(first.id, owner_id, 1, { description: 'touched' });
      const sorted = async (sort: Parameters<WorkflowStore['list']>[2]) =>
        (await workflows.list(owner_id, NOTHING, sort, ALL)).items.map(({ name }) => name);
      expect(await sorted('updated_desc')).toEqual(['b', '𝄞', '\uffee', 'B']);
      expect(await sorted('updated_asc')).toEqual(['B', '\uffee', '𝄞', 'b']);
      expect(await sorted('created_desc')).toEqual(['𝄞', '\uffee', 'B', 'b']);
      expect(await sorted('name_asc')).toEqual(['B', 'b', '\uffee', '𝄞']);
    });

    test('contains every workflow on one page, and the total on every page', async () => {
      const { owner_id } = await someOwner();
      const added = [];
      for (let each = 0; each < 5; each += 1) added.push((await addWorkflow({ owner_id, name: 'alike' })).id);
      const page = (number: number) => workflows.list(owner_id, NOTHING, 'name_asc', { page: number, per_page: 2 });
      const pages = [await page(1), await page(2), await page(3)];
      expect(pages.map(({ items, total }) => [items.length, total])).toEqual([
        [2, 5],
        [2, 5],
        [1, 5],
      ]);
      expect(pages.flatMap(({ items }) => items.map(({ id }) => id))).toEqual(added.toSorted());
      for (const far of [4, Number.MAX_SAFE_INTEGER]) expect(await page(far)).toEqual({ items: [], total: 5 });
    });

    test('contains the hash that each was last published with', async () => {
      const { id, owner_id } = await addWorkflow();
      const { workflowSnapshots } = opened.storage;
      const [first, second] = [someSnapshot(), someSnapshot()];
      for (const snapshot of [first, second, first]) {
        await workflowSnapshots.publish({ id, owner_id, visibility: 'private' }, snapshot);
      }
      expect((await workflows.find(id))?.published_hash).toBe(first.hash);
      const { items } = await workflows.list(owner_id, NOTHING, 'updated_desc', ALL);
      expect(items.map(({ published_hash }) => published_hash)).toEqual([first.hash]);
      expect(await workflows.update(id, owner_id, 1, { name: 'x' })).toMatchObject({ published_hash: first.hash });
    });
  });
}

export async function workflowsWithinLimitOf3({ storage }: Pick<OpenedDecisions, 'storage'>): Promise<number> {
  const owner = anOwner();
  await storage.owners.add(owner);
  const added = await race(20, () => storage.workflows.add(aWorkflowOf(owner), 3));
  return added.filter(Boolean).length;
}

export async function updatesOfOneVersion(workflows: WorkflowStore, id: string, owner_id: string): Promise<number> {
  const updated = await race(20, (worker) => workflows.update(id, owner_id, 1, { name: `by ${worker}` }));
  return updated.filter((workflow) => workflow !== null).length;
}
