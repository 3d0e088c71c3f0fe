import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ApiKeyStore } from '../../domain/accounts/api-key-store.ts';
import type { Owner } from '../../domain/accounts/owner.ts';
import { aKeyOf, anAgentOf, anOwner } from '../builders/accounts.ts';
import { type Contract, type Opened, race } from './adapters.ts';

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

    test('a key speaks for its agent, with its mode and the tier of its owner', async () => {
      const owner = await knownOwner({ tier: 'pro' });
      const agent = anAgentOf(owner);
      await opened.storage.owners.addAgent(agent, 10);
      const key = aKeyOf(owner, { agent_id: agent.agent_id, permission_mode: 'read_only' });
      expect(await apiKeys.add(key, 5)).toBe(true);
      expect(await apiKeys.authenticate(key.key_hash)).toEqual({
        credential: 'api_key',
        owner_id: owner.owner_id,
        agent_id: agent.agent_id,
        key_prefix: key.key_prefix,
        permission_mode: 'read_only',
        tier: 'pro',
      });
    });

    test('a hash that no key has speaks for nobody', async () => {
      expect(await apiKeys.authenticate(aKeyOf(anOwner()).key_hash)).toBeNull();
    });

    test('each of many callers at once is told who it is, and nobody else', async () => {
      const owners = await race(10, () => knownOwner());
      const keys = owners.map((owner) => aKeyOf(owner));
      for (const key of keys) await apiKeys.add(key, 5);
      const callers = await race(100, (worker) => {
        const key = keys[worker % 11] ?? aKeyOf(anOwner());
        return apiKeys.authenticate(key.key_hash);
      });
      expect(callers.map((caller) => caller?.owner_id)).toEqual(
        callers.map((_, worker) => owners[worker % 11]?.owner_id),
      );
    });

    test('revoking is once, by the owner alone, and ends the key', async () => {
      const [owner, stranger] = [await knownOwner(), await knownOwner()];
      const key = aKeyOf(owner);
      await apiKeys.add(key, 5);
      expect(await apiKeys.revoke(stranger.owner_id, key.key_prefix)).toBe(false);
      expect(await apiKeys.authenticate(key.key_hash)).not.toBeNull();
      expect(await apiKeys.revoke(owner.owner_id, key.key_prefix)).toBe(true);
      expect(await apiKeys.authenticate(key.key_hash)).toBeNull();
      expect(await apiKeys.revoke(owner.owner_id, key.key_prefix)).toBe(false);
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

    test('no call that starts after a revocation was acknowledged is let in', async () => {
      const owner = await knownOwner();
      const key = aKeyOf(owner);
      await apiKeys.add(key, 5);
      expect(await admittedAfterRevocation(apiKeys, key)).toEqual({ before: true, after: 0 });
    });
  },
};

export async function keysWithinLimitOf5(apiKeys: ApiKeyStore, owner: Owner): Promise<number> {
  const added = await race(20, () => apiKeys.add(aKeyOf(owner), 5));
  return added.filter(Boolean).length;
}

/** 20 callers keep asking while the key is revoked; each goes on for a few calls after the acknowledgement. */
export async function admittedAfterRevocation(
  apiKeys: ApiKeyStore,
  key: { readonly owner_id: string; readonly key_prefix: string; readonly key_hash: Uint8Array },
) {
  const before = (await apiKeys.authenticate(key.key_hash)) !== null;
  let acknowledged = false;
  const revocation = apiKeys.revoke(key.owner_id, key.key_prefix).then(() => {
    acknowledged = true;
  });
  const admitted = await race(20, async () => {
    let after = 0;
    for (let late = 0; late < 3; ) {
      const startedLate = acknowledged;
      const caller = await apiKeys.authenticate(key.key_hash);
      if (startedLate) late += 1;
      await new Promise((resolve) => setImmediate(resolve));
      if (startedLate && caller) after += 1;
    }
    return after;
  });
  await revocation;
  return { before, after: admitted.reduce((sum, count) => sum + count, 0) };
}
