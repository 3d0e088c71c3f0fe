import { expect, test } from '@jest/globals';
import { openMemory } from '../../../adapters/memory/storage.ts';
import type { Storage } from '../../../application/ports.ts';
import { usableAgent } from '../../../domain/accounts/keys/agent-store.ts';
import { HOUR } from '../../../domain/time.ts';
import { anAgentOf, anOwner, aSessionOf } from '../../builders/accounts.ts';
import { aLink } from '../../builders/mail.ts';
import { admittedOf20 as mailsOf20 } from '../mail-store.ts';
import { archivedBy20 } from './agent-store.ts';
import { redemptionsOfOne } from './link-store.ts';
import { admittedOf20, survivesChange } from './login-store.ts';
import { keptOf20Merges } from './profile-store.ts';
import { aLoginOf, countedOf20 } from './security-event-store.ts';
import { outlivesItsEnd } from './session-store.ts';
import { survivorsOfSuspension } from './suspension.ts';

// The races about accounts must be able to fail: what is planted here loses every one of them.

const roundTrip = () => new Promise((resolve) => setImmediate(resolve));

/** Each call by itself, as if there were no transaction. */
function withoutTransactions(): Storage {
  const storage = openMemory();
  return { ...storage, transaction: (work) => work(storage) };
}

test('a store that looks, then counts, admits more than the limit', async () => {
  const { logins } = openMemory();
  let used = 0;
  const naive: typeof logins = {
    ...logins,
    async count(account_hash, atMost) {
      const admitted = used < atMost;
      await roundTrip();
      if (admitted) used += 1;
      return { account_hash, admitted, window_start: new Date(0), at: new Date(0) };
    },
  };
  expect(await admittedOf20(naive)).toBeGreaterThan(10);
});

test('a hash that is confirmed without a lock lets a session survive the change', async () => {
  expect(await survivesChange(withoutTransactions())).toBe(true);
});

test('a session that is confirmed without a lock lets a key outlive it', async () => {
  const storage = withoutTransactions();
  const owner = anOwner();
  const session = aSessionOf(owner, { created_at: new Date() });
  await storage.owners.add(owner);
  await storage.sessions.add(session);
  expect(await outlivesItsEnd(storage, session)).toBe(true);
});

test('a suspension that lists the keys, then revokes them, leaves those that are made meanwhile', async () => {
  const storage = openMemory();
  const { ownerAdministration } = storage;
  const suspend: typeof ownerAdministration.suspend = async (owner_id) => {
    const keys = await storage.apiKeys.list(owner_id);
    await roundTrip();
    for (const { key_prefix } of keys) await storage.apiKeys.revoke(owner_id, key_prefix);
    return null;
  };
  const operators = { ...storage, ownerAdministration: { ...ownerAdministration, suspend } };
  expect(await survivorsOfSuspension({ storage, operators, close: async () => undefined })).not.toEqual([]);
});

test('an archiving that looks, then writes, is done several times', async () => {
  const storage = openMemory();
  const owner = anOwner();
  const agent = anAgentOf(owner);
  await storage.owners.add(owner);
  await storage.owners.addAgent(agent, 1);
  const archive: typeof storage.agents.archive = async (owner_id, agent_id) => {
    usableAgent(await storage.owners.findAgent(owner_id, agent_id), agent_id);
    await roundTrip();
    return storage.agents.archive(owner_id, agent_id).catch(() => ({ agent, keys: [] }));
  };
  expect(await archivedBy20({ ...storage.agents, archive }, agent)).toBeGreaterThan(1);
});

test('preferences that are read without a lock lose merges', async () => {
  expect(await keptOf20Merges(withoutTransactions())).toBeLessThan(20);
});

test('a trail that reads a count, then writes it, loses events', async () => {
  const { securityEvents } = openMemory();
  const owner_id = anOwner().owner_id;
  let count = 0;
  const naive: typeof securityEvents = {
    ...securityEvents,
    async append() {
      const before = count;
      await roundTrip();
      count = before + 1;
    },
    list: async () => [{ ...aLoginOf(owner_id), seq: '1', at: new Date(0), last_at: new Date(0), count }],
  };
  expect(await countedOf20(naive, owner_id)).toBeLessThan(20);
});

test('a link that is looked up, then deleted, is redeemed several times', async () => {
  const storage = openMemory();
  const owner = anOwner();
  await storage.owners.add(owner);
  const link = aLink(owner);
  await storage.links.put(link, HOUR);
  const redeem: typeof storage.links.redeem = async (token_hash, purpose) => {
    const found = await storage.links.find(token_hash, purpose);
    await roundTrip();
    await storage.links.redeem(token_hash, purpose);
    return found;
  };
  expect(await redemptionsOfOne({ redeem }, link)).toBeGreaterThan(1);
});

test('mails that are counted, then added, are more than the limit', async () => {
  const { mails } = openMemory();
  let queued = 0;
  const add: typeof mails.add = async (mail, limits) => {
    const admitted = queued < 5;
    await roundTrip();
    if (admitted) queued += 1;
    return admitted ? mails.add(mail, []) : { ...(await mails.add(mail, limits)), admitted };
  };
  expect(await mailsOf20({ add })).toBeGreaterThan(5);
});
