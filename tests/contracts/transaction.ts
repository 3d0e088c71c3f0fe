import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { aKeyOf, anAgentOf, anOwner } from '../builders/accounts.ts';
import { callerByKey } from '../harness/known-callers.ts';
import { type AnyStorage, type Contract, type Opened, race } from './adapters.ts';

export const transactionContract: Contract = {
  name: 'transactions',
  promises(open) {
    let opened: Opened;
    let storage: AnyStorage;
    beforeAll(async () => {
      opened = await open();
      storage = opened.storage;
    });
    afterAll(() => opened.close());

    test('what the work did is kept when it returns, and its result is given back', async () => {
      const owner = anOwner();
      expect(await storage.transaction(({ owners }) => owners.add(owner))).toBe(true);
      expect(await storage.owners.find(owner.owner_id)).toEqual(owner);
    });

    test('it sees its own writes', async () => {
      const owner = anOwner();
      const seen = await storage.transaction(async ({ owners }) => {
        await owners.add(owner);
        return owners.find(owner.owner_id);
      });
      expect(seen).toEqual(owner);
    });

    test('everything is undone when the work throws, and the error comes through', async () => {
      const owner = anOwner();
      const key = aKeyOf(owner);
      const revoked = aKeyOf(owner);
      await storage.owners.add(owner);
      await storage.apiKeys.add(revoked, 5);
      const fault = new Error('the work failed');
      const work = storage.transaction(async ({ owners, apiKeys }) => {
        await owners.addAgent(anAgentOf(owner), 1);
        await apiKeys.add(key, 5);
        await apiKeys.revoke(owner.owner_id, revoked.key_prefix);
        throw fault;
      });
      await expect(work).rejects.toBe(fault);
      expect(await callerByKey(storage.admission, key)).toBeNull();
      expect(await callerByKey(storage.admission, revoked)).not.toBeNull();
      expect(await storage.owners.addAgent(anAgentOf(owner), 1)).toBe(true);
    });

    test('a store that throws undoes it, even if the work goes on', async () => {
      const owner = anOwner();
      const work = storage.transaction(async ({ owners }) => {
        await owners.add(owner);
        await owners.addAgent(anAgentOf(anOwner()), 1).catch(() => undefined);
        return 'as if nothing had happened';
      });
      await expect(work).rejects.toThrow();
      expect(await storage.owners.find(owner.owner_id)).toBeNull();
    });

    test('a transaction inside a transaction throws', async () => {
      const work = storage.transaction(() => storage.transaction(async () => 'never'));
      await expect(work).rejects.toThrow('transaction was called inside a transaction');
    });

    test('an outer store inside a transaction throws, however deep it is called', async () => {
      const { owners, apiKeys, admission, instruments, jobs, clock } = storage;
      const calls: readonly (() => Promise<unknown>)[] = [
        () => owners.find(anOwner().owner_id),
        () => apiKeys.list(anOwner().owner_id),
        () => callerByKey(admission, aKeyOf(anOwner())),
        () => instruments.find([]),
        () => jobs.enqueue('evaluate-due'),
        () => clock.now(),
      ];
      for (const call of calls) {
        const deep = storage.transaction(async () => Promise.resolve().then(call));
        await expect(deep).rejects.toThrow('was called inside a transaction');
      }
    });

    test('its stores throw once it has ended, and what they were asked to do is not done', async () => {
      const owner = anOwner();
      const leaked = await storage.transaction(async ({ owners }) => owners);
      await expect(leaked.add(owner)).rejects.toThrow('after the end of its transaction');
      expect(await storage.owners.find(owner.owner_id)).toBeNull();
    });

    test('work that outlives its transaction may use the outer stores', async () => {
      const owner = anOwner();
      let ended = () => {};
      const end = new Promise<void>((resolve) => {
        ended = resolve;
      });
      const { add } = await storage.transaction(async () => ({ add: end.then(() => storage.owners.add(owner)) }));
      ended();
      expect(await add).toBe(true);
    });

    test('20 at once that each count and add stay within the limit, and leave nothing when they throw', async () => {
      const owner = anOwner();
      await storage.owners.add(owner);
      const outcomes = await race(20, (worker) =>
        storage
          .transaction(async ({ owners, apiKeys }) => {
            const added = await owners.addAgent(anAgentOf(owner), 4);
            await apiKeys.add(aKeyOf(owner), 50);
            if (worker % 2 === 1) throw new Error('undone');
            return added;
          })
          .catch(() => false),
      );
      expect(outcomes.filter(Boolean)).toHaveLength(4);
      expect(await keysLeft(storage, owner.owner_id)).toBe(10);
    });
  },
};

/** How many keys the owner has, counted by how many more fit. */
async function keysLeft({ apiKeys }: AnyStorage, owner_id: string): Promise<number> {
  const owner = anOwner({ owner_id });
  let room = 0;
  while (await apiKeys.add(aKeyOf(owner), 20)) room += 1;
  return 20 - room;
}
