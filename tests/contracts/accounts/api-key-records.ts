import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ApiKey, ApiKeyStore } from '../../../domain/accounts/keys/api-key.ts';
import type { Owner } from '../../../domain/accounts/owner.ts';
import { aKeyOf, anAgentOf, anOwner } from '../../builders/accounts.ts';
import { callerByKey } from '../../harness/known-callers.ts';
import { type Contract, type Opened, race } from '../adapters.ts';

export const keyRecordsContract: Contract = {
  name: 'records of API keys',
  promises(open) {
    let opened: Opened;
    let apiKeys: ApiKeyStore;
    beforeAll(async () => {
      opened = await open();
      apiKeys = opened.storage.apiKeys;
    });
    afterAll(() => opened.close());

    const successorOf = (owner: Owner) => {
      const { key_prefix, key_hash } = aKeyOf(owner);
      const created_at = new Date('2026-02-02T08:00:00.000Z');
      return { key_prefix, key_hash, created_at, expires_at: new Date('2999-02-02T08:00:00.000Z') };
    };

    test('keys are listed the oldest first, without revoked ones, those of others and the hash', async () => {
      const { owner, key } = await boundKey(opened);
      await boundKey(opened);
      const older = aKeyOf(owner, { created_at: new Date('2025-12-24T00:00:00.000Z') });
      const revoked = aKeyOf(owner);
      for (const each of [older, revoked]) await apiKeys.add(each, 5);
      await apiKeys.revoke(owner.owner_id, revoked.key_prefix);
      const [first, second, ...others] = await apiKeys.list(owner.owner_id);
      expect([first?.key_prefix, others]).toEqual([older.key_prefix, []]);
      const { key_hash: _, owner_id: __, ...shown } = key;
      expect(second).toEqual({ ...shown, last_used_at: null, last_used_network: null, revoked_at: null });
      expect(await apiKeys.list(anOwner().owner_id)).toEqual([]);
    });

    test('a key is found, changed and rotated by its owner alone, and only while it is unrevoked', async () => {
      const { owner, key } = await boundKey(opened);
      const { owner: stranger } = await boundKey(opened);
      const touch = async ({ owner_id }: Owner) => [
        await apiKeys.find(owner_id, key.key_prefix),
        await apiKeys.change(owner_id, key.key_prefix, { permission_mode: 'read_write' }),
        await apiKeys.rotate(owner_id, key.key_prefix, successorOf(owner)),
      ];
      expect(await touch(stranger)).toEqual([null, null, null]);
      expect(await callerByKey(opened.storage.admission, key)).toMatchObject({ permission_mode: 'read_only' });
      expect(await touch(owner)).not.toContain(null);
      expect(await touch(owner)).toEqual([null, null, null]);
    });

    test('a mode holds for every call that starts after it was acknowledged', async () => {
      const { owner, key } = await boundKey(opened);
      const changed = await apiKeys.change(owner.owner_id, key.key_prefix, { permission_mode: 'read_write' });
      expect(changed).toMatchObject({ key_prefix: key.key_prefix, permission_mode: 'read_write', label: 'Scout' });
      expect(await callerByKey(opened.storage.admission, key)).toMatchObject({ permission_mode: 'read_write' });
    });

    test('the successor speaks for the same agent, and the key for nobody, however full the owner is', async () => {
      const { owner, agent, key } = await boundKey(opened);
      const successor = successorOf(owner);
      expect(await apiKeys.add(aKeyOf(owner), 1)).toBe(false);
      expect(await apiKeys.rotate(owner.owner_id, key.key_prefix, successor)).toEqual({
        key_prefix: successor.key_prefix,
        label: 'Scout',
        agent_id: agent.agent_id,
        permission_mode: 'read_only',
        created_at: successor.created_at,
        expires_at: successor.expires_at,
        allowed_networks: null,
        last_used_at: null,
        last_used_network: null,
        revoked_at: null,
      });
      expect(await callerByKey(opened.storage.admission, key)).toBeNull();
      expect(await callerByKey(opened.storage.admission, successor)).toMatchObject({
        agent_id: agent.agent_id,
        permission_mode: 'read_only',
      });
      expect(await apiKeys.add(aKeyOf(owner), 1)).toBe(false);
    });

    test('of 20 who rotate one key at once, one does, and one key is left', async () => {
      const { owner, key } = await boundKey(opened);
      expect(await rotationsOfOneKey(apiKeys, owner, key)).toEqual({ rotated: 1, left: 1 });
    });

    test('keys rotated and added at once stay within the limit', async () => {
      const { owner, key } = await boundKey(opened);
      await race<unknown>(20, (worker) =>
        worker % 2 ? apiKeys.add(aKeyOf(owner), 3) : apiKeys.rotate(owner.owner_id, key.key_prefix, successorOf(owner)),
      );
      expect(await apiKeys.list(owner.owner_id)).toHaveLength(3);
    });

    test('a rotation that is undone leaves the key', async () => {
      const { owner, key } = await boundKey(opened);
      const fault = new Error('the work failed');
      const work = opened.storage.transaction(async (stores) => {
        await stores.apiKeys.rotate(owner.owner_id, key.key_prefix, successorOf(owner));
        throw fault;
      });
      await expect(work).rejects.toBe(fault);
      expect(await callerByKey(opened.storage.admission, key)).not.toBeNull();
      expect(await apiKeys.list(owner.owner_id)).toHaveLength(1);
    });

    test('a name is taken for ever', async () => {
      const { owner, key } = await boundKey(opened);
      expect(await apiKeys.isTaken(key.key_prefix)).toBe(true);
      await apiKeys.revoke(owner.owner_id, key.key_prefix);
      expect(await apiKeys.isTaken(key.key_prefix)).toBe(true);
      expect(await apiKeys.isTaken(aKeyOf(owner).key_prefix)).toBe(false);
    });

    test('a use is noted for the keys that were used, and changes nothing else', async () => {
      const { owner, key } = await boundKey(opened);
      const { owner: other } = await boundKey(opened);
      const before = await opened.storage.clock.now();
      await apiKeys.noteUse([key.key_prefix, 'sbk_nobodys0'].map((key_prefix) => ({ key_prefix, network: 'ab12' })));
      const used = await apiKeys.find(owner.owner_id, key.key_prefix);
      expect(Number(used?.last_used_at)).toBeGreaterThanOrEqual(before.getTime());
      expect(used).toMatchObject({ permission_mode: 'read_only', revoked_at: null, last_used_network: 'ab12' });
      expect((await apiKeys.list(other.owner_id))[0]?.last_used_at).toBeNull();
      expect(await apiKeys.change(owner.owner_id, key.key_prefix, { permission_mode: 'read_write' })).toMatchObject({
        last_used_at: used?.last_used_at,
        last_used_network: 'ab12',
      });
    });

    test('uses noted by 20 at once, in any order, come to their end', async () => {
      const { owner, key } = await boundKey(opened);
      const keys = [key, aKeyOf(owner), aKeyOf(owner), aKeyOf(owner)];
      for (const each of keys.slice(1)) await apiKeys.add(each, 5);
      const names = keys.map(({ key_prefix }) => ({ key_prefix, network: null }));
      await race(20, (worker) => apiKeys.noteUse(worker % 2 ? names : names.toReversed()));
      expect((await apiKeys.list(owner.owner_id)).map(({ last_used_at }) => last_used_at)).not.toContain(null);
    });
  },
};

/** 20 rotate one key, each to a key of its own. */
export async function rotationsOfOneKey(
  apiKeys: ApiKeyStore,
  owner: Owner,
  { key_prefix }: Pick<ApiKey, 'key_prefix'>,
) {
  const rotated = await race(20, () => {
    const { key_prefix: name, key_hash, created_at, expires_at } = aKeyOf(owner);
    return apiKeys.rotate(owner.owner_id, key_prefix, { key_prefix: name, key_hash, created_at, expires_at });
  });
  const { length: left } = await apiKeys.list(owner.owner_id);
  return { rotated: rotated.filter(Boolean).length, left };
}

/** A key of an agent, for a store that minds whose it is. */
async function boundKey({ storage }: Opened, changes: Partial<ApiKey> = {}) {
  const owner = anOwner();
  await storage.owners.add(owner);
  const agent = anAgentOf(owner);
  await storage.owners.addAgent(agent, 10);
  const key = aKeyOf(owner, { agent_id: agent.agent_id, label: 'Scout', permission_mode: 'read_only', ...changes });
  await storage.apiKeys.add(key, 5);
  return { owner, agent, key };
}
