import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { type AccountData, OWN_TABLES, type OwnTable, type StoredRows } from '../../../domain/accounts/owner-data.ts';
import type { Receipt } from '../../../domain/decisions/submission/receipt.ts';
import { aKeyOf, anAgentOf, anOwner, aSessionOf } from '../../builders/accounts.ts';
import { type AgentCaller, NO_LIMITS } from '../../builders/decisions.ts';
import { race } from '../adapters.ts';
import type { Bench, DecisionContract } from '../decisions/bench.ts';
import { anAcceptance } from './profile-store.ts';
import { aLoginOf } from './security-event-store.ts';

const EXPECTED = ['accepted', 'key_revoked', 'removed'];
const SECRET = 'the hash of a password';

export const ownerDataContract: DecisionContract = {
  name: 'the data of an owner',
  promises(bench) {
    test('the export contains everything of the account, and nothing that could be used to log in', async () => {
      const { owner, session, key } = await anAccount(bench);
      const { rows, records } = await accountOf(bench, owner.owner_id);
      expect(records).toBe(0);
      expect(rows.owner).toMatchObject([
        { owner_id: owner.owner_id, email: owner.email, preferences: { locale: 'de' } },
      ]);
      expect(rows.agents).toMatchObject([{ name: 'Scout' }]);
      expect(rows.api_keys).toMatchObject([{ key_prefix: key.key_prefix, label: 'named by its owner' }]);
      expect(rows.sessions).toMatchObject([{ created_at: session.created_at }]);
      expect(rows.legal_acceptances).toMatchObject([{ source: 'first' }, { source: 'second' }]);
      expect(rows.audit_log).toMatchObject([{ action: 'tried', subject: owner.owner_id }]);
      expect(rows.security_events).toMatchObject([{ kind: 'login', count: 1 }]);
      const text = JSON.stringify(rows);
      for (const hash of [session.session_hash, key.key_hash]) {
        expect(text).not.toContain(Buffer.from(hash).toString('hex'));
        expect(text).not.toContain(JSON.stringify([...hash]));
        expect(text).not.toContain(Buffer.from(hash).toString('base64'));
      }
      expect(text).not.toContain(SECRET);
    });

    test('the export contains nothing of another owner', async () => {
      const [{ owner }, { owner: other, key }] = [await anAccount(bench), await anAccount(bench)];
      const text = JSON.stringify(await accountOf(bench, owner.owner_id));
      for (const foreign of [other.owner_id, other.email ?? '', key.key_prefix]) expect(text).not.toContain(foreign);
    });

    test('the export lists record ids page by page as submitted, also of archived and quarantined records', async () => {
      const [agent, stranger] = [await bench.agent(), await bench.agent()];
      await bench.accepted(stranger);
      const made: Receipt[] = [];
      for (let each = 0; each < 3; each += 1) made.push(await bench.accepted(agent));
      const placeOf = ({ submission_time, record_id }: Receipt) => `${submission_time} ${record_id}`;
      const ids = made.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1)).map(({ record_id }) => record_id);
      await bench.arrange().mark(ids[0] ?? '', { archived_at: await bench.now() });
      await bench.arrange().mark(ids[1] ?? '', { quarantine_reason: 'for a test' });
      const { ownerData } = bench.storage();
      const page = (after: string | null, limit: number) => ownerData.recordIds(agent.owner_id, after, limit);
      expect(await page(null, 2)).toEqual(ids.slice(0, 2));
      expect(await page(ids[1] ?? '', 2)).toEqual(ids.slice(2));
      expect(await page(ids[2] ?? '', 2)).toEqual([]);
      expect((await accountOf(bench, agent.owner_id)).records).toBe(3);
    });

    test('pages of a table have each row of the account once, without secrets and without rows of others', async () => {
      const [{ owner }, { owner: other }] = [await anAccount(bench), await anAccount(bench)];
      await bench.storage().owners.addAgent(anAgentOf(owner), 10);
      const { rows } = await accountOf(bench, owner.owner_id);
      expect([rows.agents?.length, rows.legal_acceptances?.length]).toEqual([2, 2]);
      const inPages = Object.fromEntries(
        await Promise.all(
          OWN_TABLES.map(async (table) => [table, await pagesOf(bench, owner.owner_id, table)] as const),
        ),
      );
      for (const table of OWN_TABLES) {
        expect([table, new Set(inPages[table]?.map(asText))]).toEqual([table, new Set(rows[table]?.map(asText) ?? [])]);
        expect([table, inPages[table]?.length]).toEqual([table, rows[table]?.length ?? 0]);
      }
      expect(JSON.stringify(inPages)).not.toContain(other.owner_id);
      expect(JSON.stringify(inPages)).not.toContain(SECRET);
      expect(await pagesOf(bench, anOwner().owner_id, 'agents')).toEqual([]);
    });

    test('an unknown owner has no export, and removing one removes nothing', async () => {
      const { ownerData } = bench.storage();
      const { ownerAdministration } = bench.operators();
      const { owner_id } = anOwner();
      expect(await ownerData.account(owner_id)).toBeNull();
      expect(await ownerData.recordIds(owner_id, null, 10)).toEqual([]);
      expect(await ownerAdministration.remove(owner_id)).toBeNull();
    });

    test('removing an owner removes all their credentials and frees their email; others stay', async () => {
      const [{ owner, session, key }, other] = [await anAccount(bench), await anAccount(bench)];
      const { owners, ownerData, sessions, apiKeys, profiles } = bench.storage();
      const { ownerAdministration } = bench.operators();
      const account = await accountOf(bench, owner.owner_id);
      expect(await ownerAdministration.remove(owner.owner_id)).toEqual(account);
      expect(await ownerAdministration.remove(owner.owner_id)).toBeNull();
      expect(await owners.find(owner.owner_id)).toBeNull();
      expect(await ownerData.account(owner.owner_id)).toBeNull();
      expect(await sessions.destroy(session.session_hash)).toBe(false);
      expect(await apiKeys.revoke(owner.owner_id, key.key_prefix)).toBeFalsy();
      expect(await profiles.lastAcceptance(owner.owner_id)).toBeNull();
      const heir = anOwner({ email: owner.email });
      expect(await owners.add(heir)).toBe(true);
      expect((await accountOf(bench, heir.owner_id)).rows).toMatchObject({ agents: [], api_keys: [], audit_log: [] });
      expect((await accountOf(bench, other.owner.owner_id)).rows.sessions).toHaveLength(1);
    });

    test('their security events stay, and no heir of the email gets them', async () => {
      const { owner } = await anAccount(bench);
      const { owners, securityEvents } = bench.storage();
      const before = await securityEvents.list({ owner_id: owner.owner_id }, null, 10);
      await bench.operators().ownerAdministration.remove(owner.owner_id);
      const heir = anOwner({ email: owner.email });
      await owners.add(heir);
      expect(before).toMatchObject([{ kind: 'login' }]);
      expect(await securityEvents.list({ owner_id: owner.owner_id }, null, 10)).toEqual(before);
      expect(await securityEvents.list({ owner_id: heir.owner_id }, null, 10)).toEqual([]);
    });

    test('their records stay as they are, under the same owner_id', async () => {
      const agent = await bench.agent();
      const { record_id } = await bench.accepted(agent, { summary: 'kept as it was said' });
      const before = await bench.storage().decisions.find([record_id], agent.owner_id);
      expect(await bench.operators().ownerAdministration.remove(agent.owner_id)).toMatchObject({ records: 1 });
      expect(await bench.storage().decisions.find([record_id], agent.owner_id)).toEqual(before);
      expect(before).toMatchObject([{ owner_id: agent.owner_id, submission: { summary: 'kept as it was said' } }]);
    });

    test('a removal that is undone removes nothing', async () => {
      const { owner, session } = await anAccount(bench);
      const fault = new Error('the work failed');
      const work = bench.operators().transaction(async ({ ownerAdministration }) => {
        await ownerAdministration.remove(owner.owner_id);
        throw fault;
      });
      await expect(work).rejects.toBe(fault);
      expect((await accountOf(bench, owner.owner_id)).rows).toMatchObject({
        agents: [{}],
        legal_acceptances: [{}, {}],
      });
      expect(await bench.storage().sessions.destroy(session.session_hash)).toBe(true);
    });

    test('of 20 who remove an owner at once one does', async () => {
      const { owner } = await anAccount(bench);
      const removed = await race(20, () => bench.operators().ownerAdministration.remove(owner.owner_id));
      expect(removed.filter(Boolean)).toHaveLength(1);
    });

    test('submissions during a removal are accepted whole or refused, and none is accepted after it', async () => {
      for (let round = 0; round < 3; round += 1) {
        const agent = await bench.agent();
        const verdicts = await race(20, (worker) => (worker === 10 ? removal(bench, agent) : submission(bench, agent)));
        const accepted = verdicts.filter((verdict) => verdict === 'accepted').length;
        expect(verdicts.filter((verdict) => !EXPECTED.includes(verdict))).toEqual([]);
        expect(await bench.storage().ownerData.recordIds(agent.owner_id, null, 100)).toHaveLength(accepted);
        expect(await submission(bench, agent)).toBe('key_revoked');
      }
    });

    test('of sessions and keys that are added meanwhile none is left', async () => {
      for (let round = 0; round < 3; round += 1) {
        const { owner, session } = await anAccount(bench);
        const { ownerData, sessions, apiKeys } = bench.storage();
        const { ownerAdministration } = bench.operators();
        const added = Array.from({ length: 10 }, () => aSessionOf(owner));
        const work = [
          ...added.map((each) => () => sessions.add(each)),
          () => ownerAdministration.remove(owner.owner_id),
          ...Array.from({ length: 9 }, () => () => apiKeys.add(aKeyOf(owner), 100)),
        ];
        await Promise.allSettled(work.map((each): Promise<unknown> => each()));
        expect(await ownerData.account(owner.owner_id)).toBeNull();
        for (const { session_hash } of [session, ...added]) expect(await sessions.destroy(session_hash)).toBe(false);
      }
    });
  },
};

async function anAccount(bench: Bench) {
  const { owners, apiKeys, sessions, profiles, audit, securityEvents } = bench.storage();
  const owner = anOwner({ password_hash: SECRET });
  await owners.add(owner);
  const agent = anAgentOf(owner);
  await owners.addAgent(agent, 10);
  const key = aKeyOf(owner, { agent_id: agent.agent_id, label: 'named by its owner' });
  await apiKeys.add(key, 10);
  const session = aSessionOf(owner, { created_at: await bench.now(), session_hash: randomBytes(32) });
  await sessions.add(session);
  for (const source of ['first', 'second']) await profiles.accept(owner.owner_id, anAcceptance({ source }));
  await profiles.setPreferences(owner.owner_id, { locale: 'de' });
  const entry = { actor: 'test', action: 'tried', subject: owner.owner_id, detail: {} };
  await audit.append(entry);
  await securityEvents.append(aLoginOf(owner.owner_id));
  return { owner, agent, key, session };
}

async function accountOf(bench: Bench, owner_id: string): Promise<AccountData> {
  const account = await bench.storage().ownerData.account(owner_id);
  if (!account) throw new Error('There is no such owner.');
  return account;
}

async function submission(bench: Bench, agent: AgentCaller): Promise<string> {
  return (await bench.submit(agent, {}, { limits: NO_LIMITS })).verdict;
}

async function removal(bench: Bench, { owner_id }: AgentCaller): Promise<string> {
  return (await bench.operators().ownerAdministration.remove(owner_id)) ? 'removed' : 'was not there';
}

/** The rows of a table, read one a page. */
async function pagesOf(bench: Bench, owner_id: string, table: OwnTable): Promise<StoredRows> {
  const { ownerData } = bench.storage();
  const found: StoredRows[number][] = [];
  for (let after: string | null = null; ; ) {
    const { rows, next } = await ownerData.rows(owner_id, table, after, 1);
    found.push(...rows);
    if (next === null) return found;
    after = next;
  }
}

const asText = (row: object) => JSON.stringify(row);
