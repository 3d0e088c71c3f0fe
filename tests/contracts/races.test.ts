import { expect, test } from '@jest/globals';
import type { ApiKey, ApiKeyStore, KeyInfo } from '../../domain/accounts/keys/api-key.ts';
import type { Agent, Owner, OwnerStore } from '../../domain/accounts/owner.ts';
import { aKeyOf, anOwner } from '../builders/accounts.ts';
import { rotationsOfOneKey } from './accounts/api-key-records.ts';
import { keysWithinLimitOf5 } from './accounts/api-key-store.ts';
import { agentsWithinLimitOf3, winnersOfOneEmail } from './accounts/owner-store.ts';

// The races must be able to fail: stores with the usual mistakes lose every one of them.

test('a store that reads, then writes, gives one email to several owners', async () => {
  expect(await winnersOfOneEmail(naiveOwners())).toBeGreaterThan(1);
});

test('a store that counts, then adds, passes the limit of agents', async () => {
  expect(await agentsWithinLimitOf3(naiveOwners())).toBeGreaterThan(3);
});

test('a store that counts, then adds, passes the limit of keys', async () => {
  expect(await keysWithinLimitOf5(naiveKeys(), anOwner())).toBeGreaterThan(5);
});

test('a store that reads a key, then rotates it, gives it several successors', async () => {
  const owner = anOwner();
  const [keys, key] = [naiveKeys(), aKeyOf(owner)];
  await keys.add(key, 5);
  expect((await rotationsOfOneKey(keys, owner, key)).rotated).toBeGreaterThan(1);
});

const roundTrip = () => new Promise((resolve) => setImmediate(resolve));

function naiveOwners(): OwnerStore {
  const rows: Owner[] = [];
  const agents: Agent[] = [];
  return {
    async add(owner) {
      const taken = rows.some(({ email }) => email === owner.email);
      await roundTrip();
      if (!taken) rows.push(owner);
      return !taken;
    },
    list: async () => rows,
    findAgent: async () => null,
    find: async (id) => rows.find(({ owner_id }) => owner_id === id) ?? null,
    findByEmail: async (address) => rows.find(({ email }) => email === address) ?? null,
    confirmEmail: async () => null,
    async addAgent(agent, atMost) {
      const full = agents.length >= atMost;
      await roundTrip();
      if (!full) agents.push(agent);
      return !full;
    },
  };
}

function naiveKeys(): ApiKeyStore {
  const rows: ApiKey[] = [];
  return {
    async add(key, atMost) {
      const full = rows.length >= atMost;
      await roundTrip();
      if (!full) rows.push(key);
      return !full;
    },
    async revoke(_, prefix) {
      await roundTrip();
      rows.splice(
        rows.findIndex(({ key_prefix }) => key_prefix === prefix),
        1,
      );
      return true;
    },
    revokeAll: async () => rows.splice(0).map(({ key_prefix }) => key_prefix),
    async rotate(_, prefix, successor) {
      const old = rows.find(({ key_prefix }) => key_prefix === prefix);
      await roundTrip();
      if (!old) return null;
      const key = { ...old, ...successor };
      rows.splice(rows.indexOf(old), 1, key);
      return infoOf(key);
    },
    list: async () => rows.map(infoOf),
    find: async () => null,
    change: async () => null,
    isTaken: async () => false,
    noteUse: async () => undefined,
  };
}

function infoOf({ key_hash: _, owner_id: __, ...key }: ApiKey): KeyInfo {
  return { ...key, last_used_at: null, last_used_network: null, revoked_at: null };
}
