import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ApiKeyStore } from '../../../domain/accounts/keys/api-key.ts';
import type { Owner } from '../../../domain/accounts/owner.ts';
import { aKeyOf, anOwner } from '../../builders/accounts.ts';
import { callerByKey } from '../../harness/known-callers.ts';
import { type Contract, type Opened, race } from '../adapters.ts';

export const apiKeyStoreContract: Contract = {
  name: 'API keys',
  promises(open) {
    let opened: Opened;
    let apiKeys: ApiKeyStore;
    beforeAll(async () => {
      opened = await open();
      apiKeys = opened.storage.apiKeys;
    });
    afterAll(() => opened.close());

    async function knownOwner(changes: Partial<Owner> = {}): Promise<Owner> {
      const owner = anOwner(changes);
      await opened.storage.owners.add(owner);
      return owner;
    }

    test('revoking is once, by the owner alone, and ends the key', async () => {
      const [owner, stranger] = [await knownOwner(), await knownOwner()];
      const key = aKeyOf(owner);
      await apiKeys.add(key, 5);
      expect(await apiKeys.revoke(stranger.owner_id, key.key_prefix)).toBe(false);
      expect(await callerByKey(opened.storage.admission, key)).not.toBeNull();
      expect(await apiKeys.revoke(owner.owner_id, key.key_prefix)).toBe(true);
      expect(await callerByKey(opened.storage.admission, key)).toBeNull();
      expect(await apiKeys.revoke(owner.owner_id, key.key_prefix)).toBe(false);
    });

    test('all unrevoked keys of an owner are revoked at once, and no others', async () => {
      const [owner, stranger] = [await knownOwner(), await knownOwner()];
      const [first, second, revoked] = [aKeyOf(owner), aKeyOf(owner), aKeyOf(owner)];
      const foreign = aKeyOf(stranger);
      for (const key of [first, second, revoked, foreign]) await apiKeys.add(key, 5);
      await apiKeys.revoke(owner.owner_id, revoked.key_prefix);
      const names = [first, second].map(({ key_prefix }) => key_prefix);
      expect([...(await apiKeys.revokeAll(owner.owner_id))].toSorted()).toEqual(names.toSorted());
      expect(await apiKeys.revokeAll(owner.owner_id)).toEqual([]);
      const callers = await Promise.all(
        [first, second, foreign].map((key) => callerByKey(opened.storage.admission, key)),
      );
      expect(callers.map((caller) => caller !== null)).toEqual([false, false, true]);
    });

    test('a revoked key makes room for another', async () => {
      const owner = await knownOwner();
      const key = aKeyOf(owner);
      expect(await apiKeys.add(key, 1)).toBe(true);
      expect(await apiKeys.add(aKeyOf(owner), 1)).toBe(false);
      await apiKeys.revoke(owner.owner_id, key.key_prefix);
      expect(await apiKeys.add(aKeyOf(owner), 1)).toBe(true);
    });

    test('a key of nobody is refused', async () => {
      await expect(apiKeys.add(aKeyOf(anOwner()), 5)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    });

    test('20 keys added at once stay within the limit', async () => {
      expect(await keysWithinLimitOf5(apiKeys, await knownOwner())).toBe(5);
    });

    test('of 20 who revoke one key at once, one does', async () => {
      const owner = await knownOwner();
      const key = aKeyOf(owner);
      await apiKeys.add(key, 5);
      const revoked = await race(20, () => apiKeys.revoke(owner.owner_id, key.key_prefix));
      expect(revoked.filter(Boolean)).toHaveLength(1);
    });
  },
};

export async function keysWithinLimitOf5(apiKeys: ApiKeyStore, owner: Owner): Promise<number> {
  const added = await race(20, () => apiKeys.add(aKeyOf(owner), 5));
  return added.filter(Boolean).length;
}
