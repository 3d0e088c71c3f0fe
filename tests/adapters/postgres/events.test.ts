import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { EVENTS } from '../../../domain/limits.ts';
import { type OpenedDatabase, onPostgres } from '../../contracts/decisions/adapters.ts';
import { benchOn } from '../../contracts/decisions/bench.ts';

let opened: OpenedDatabase;
const clients: pg.Client[] = [];
// Before the bench drops the database.
afterAll(() => Promise.all(clients.map((client) => client.end())));
const bench = benchOn({
  name: 'postgres',
  async open() {
    opened = await onPostgres(2);
    return opened;
  },
});
beforeAll(async () => {
  for (let each = 0; each < 2; each += 1) {
    const client = new pg.Client({ connectionString: opened.url });
    await client.connect();
    clients.push(client);
  }
});

// An entry of the audit log holds a lock until its transaction ends.
const AUDITED = `with entry as (insert into app.audit_log (actor, action, subject) values ('a test', $2, $1))`;
const REJECT = `update app.decisions set lifecycle_state = 'rejected' where record_id = $1`;
const MOVES = {
  quarantine: `update app.decisions set lifecycle_state = 'quarantined', due_at = null, eval_token = null,
    quarantined_at = app.now(), quarantine_reason = 'a test' where record_id = $1`,
  release: `update app.decisions set lifecycle_state = 'pending_verify', quarantined_at = null, quarantine_reason = null
    where record_id = $1`,
};

async function move(client: pg.Client | undefined, by: keyof typeof MOVES, record_id: string) {
  await client?.query(`${AUDITED} ${MOVES[by]}`, [record_id, by]);
}

/** The transaction of the first client has begun to write, so it is older than all that begin later. */
async function olderTransaction(): Promise<pg.Client | undefined> {
  await clients[0]?.query('begin');
  await clients[0]?.query('select pg_current_xact_id()');
  return clients[0];
}

const seen = async (owner_id: string, after: string | null) => {
  const { events, next } = await bench.storage().events.page({ owner_id }, after, 100);
  return { types: events.map(({ event: { type, data } }) => [type, 'record_id' in data && data.record_id]), next };
};

test('an event that commits late is waited for, and then read before those that were written after it', async () => {
  const agent = await bench.agent();
  const [late, early] = [(await bench.accepted(agent)).record_id, (await bench.accepted(agent)).record_id];
  const older = await olderTransaction();
  await older?.query(REJECT, [late]);
  await clients[1]?.query(REJECT, [early]);
  const before = await seen(agent.owner_id, null);
  expect(before.types).toEqual([]);
  await older?.query('commit');
  await opened.arrange.settle();
  expect((await seen(agent.owner_id, before.next)).types).toEqual([
    ['decision.rejected', late],
    ['decision.rejected', early],
  ]);
});

test('events of a decision are in the order of its changes, also when the older transaction changes it last', async () => {
  const agent = await bench.agent();
  const { record_id } = await bench.accepted(agent);
  const older = await olderTransaction();
  await move(clients[1], 'quarantine', record_id);
  await move(older, 'release', record_id);
  await older?.query('commit');
  await opened.arrange.settle();
  expect((await seen(agent.owner_id, null)).types).toEqual([
    ['decision.quarantined', record_id],
    ['decision.released', record_id],
  ]);
});

test('from a place of another history of the database the feed begins with its oldest event', async () => {
  const agent = await bench.agent();
  const { record_id } = await bench.accepted(agent);
  await move(clients[1], 'quarantine', record_id);
  await opened.arrange.settle();
  const { next } = await seen(agent.owner_id, null);
  const [history = '', position = ''] = next.split(' ');
  expect(history).toMatch(/^\d+\/1$/);
  for (const other of [history.replace('/1', '/2'), `1${history}`]) {
    expect((await seen(agent.owner_id, `${other} ${BigInt(position) * 2n} 0`)).types).toHaveLength(1);
  }
  expect((await seen(agent.owner_id, next)).types).toEqual([]);
});

test('after a restore the events of before are read first', async () => {
  const agent = await bench.agent();
  const { record_id } = await bench.accepted(agent);
  await move(clients[1], 'quarantine', record_id);
  await opened.owner.query(`update app.events set position = 9000000000000`);
  expect((await seen(agent.owner_id, null)).types).toEqual([]);
  await opened.owner.query(
    readFileSync(new URL('../../../adapters/postgres/after-restore.sql', import.meta.url), 'utf8'),
  );
  await move(clients[1], 'release', record_id);
  await opened.arrange.settle();
  expect((await seen(agent.owner_id, null)).types.map(([type]) => type)).toEqual([
    'decision.quarantined',
    'decision.released',
  ]);
});

test('a credit that did not come with its grade has an event of its own', async () => {
  const agent = await bench.agent();
  const { record_id } = await bench.accepted(agent);
  const { next } = await seen(agent.owner_id, null);
  await clients[1]?.query(`insert into app.credit_ledger values ($1, $2, '2026-03-02', 10)`, [
    record_id,
    agent.owner_id,
  ]);
  await opened.arrange.settle();
  const { events } = await bench.storage().events.page({ owner_id: agent.owner_id }, next, 100);
  const { agent_id } = agent;
  expect(events.map(({ event: { type, data } }) => [type, data])).toEqual([
    ['quota.credited', { record_id, agent_id, amount: 10, day: '2026-03-02' }],
  ]);
});

const submissionsOf = async (owner_id: string, after: string | null) => {
  const { events, next } = await bench.storage().events.page({ owner_id, hasSubmissions: true }, after, 100);
  return { types: events.map(({ event: { type, data } }) => [type, 'record_id' in data && data.record_id]), next };
};

test('a submission waits for older transactions, and comes before what happens to its record meanwhile', async () => {
  const agent = await bench.agent();
  await opened.arrange.settle();
  const start = (await submissionsOf(agent.owner_id, null)).next;
  const older = await olderTransaction();
  const { record_id } = await bench.accepted(agent);
  await move(clients[1], 'quarantine', record_id);
  const early = await submissionsOf(agent.owner_id, start);
  expect(early.types).toEqual([]);
  await older?.query('commit');
  await opened.arrange.settle();
  expect((await submissionsOf(agent.owner_id, early.next)).types).toEqual([
    ['decision.submitted', record_id],
    ['decision.quarantined', record_id],
  ]);
});

test('a submission is read although a transaction that began before it changed its record after it', async () => {
  const agent = await bench.agent();
  await opened.arrange.settle();
  const start = (await submissionsOf(agent.owner_id, null)).next;
  const older = await olderTransaction();
  await clients[1]?.query('begin');
  await clients[1]?.query('select pg_current_xact_id()');
  const { record_id } = await bench.accepted(agent);
  await move(older, 'quarantine', record_id);
  await older?.query('commit');
  const early = await submissionsOf(agent.owner_id, start);
  expect(early.types).toEqual([]);
  await clients[1]?.query('commit');
  await opened.arrange.settle();
  expect((await submissionsOf(agent.owner_id, early.next)).types).toEqual([
    ['decision.submitted', record_id],
    ['decision.quarantined', record_id],
  ]);
});

test('pages of submissions from the beginning have each once', async () => {
  const agent = await bench.agent();
  const ids: string[] = [];
  for (let each = 0; each < 5; each += 1) ids.push((await bench.accepted(agent, { symbol: `PAGE${each}` })).record_id);
  await opened.arrange.settle();
  const seenIds: unknown[] = [];
  for (let after: string | null = null; seenIds.length < 5; ) {
    const scope = { owner_id: agent.owner_id, hasSubmissions: true };
    const { events, next } = await bench.storage().events.page(scope, after, 2);
    expect(events.length).toBeGreaterThan(0);
    seenIds.push(...events.map(({ event: { data } }) => 'record_id' in data && data.record_id));
    after = next;
  }
  expect(seenIds).toEqual(ids);
});

test('behind a page that ends with a submission one is read that the clock set back', async () => {
  const now = await bench.now();
  const agent = await bench.agent();
  await bench.accepted(agent, { symbol: 'EARLY' });
  await opened.arrange.settle();
  const { next } = await bench.storage().events.page({ owner_id: agent.owner_id, hasSubmissions: true }, null, 1);
  await opened.arrange.freeze(new Date(now.getTime() - EVENTS.receivedEarlier));
  const { record_id } = await bench.accepted(agent, { symbol: 'BACK' });
  await opened.arrange.settle();
  expect((await submissionsOf(agent.owner_id, next)).types).toEqual([['decision.submitted', record_id]]);
  await opened.arrange.freeze(now);
});

test('after a restore the submissions of before are read first', async () => {
  const agent = await bench.agent();
  const { record_id } = await bench.accepted(agent);
  await move(clients[1], 'quarantine', record_id);
  await opened.owner.query(
    readFileSync(new URL('../../../adapters/postgres/after-restore.sql', import.meta.url), 'utf8'),
  );
  const later = (await bench.accepted(agent, { symbol: 'LATER' })).record_id;
  await opened.arrange.settle();
  expect((await submissionsOf(agent.owner_id, null)).types).toEqual([
    ['decision.submitted', record_id],
    ['decision.quarantined', record_id],
    ['decision.submitted', later],
  ]);
});

test('where the clock was set back, a submission is read from a place of before', async () => {
  const now = await bench.now();
  const agent = await bench.agent();
  await opened.arrange.settle();
  let { next } = await submissionsOf(agent.owner_id, null);
  for (let each = 0; each < 3; each += 1) next = (await submissionsOf(agent.owner_id, next)).next;
  await opened.arrange.freeze(new Date(now.getTime() - EVENTS.receivedEarlier));
  const { record_id } = await bench.accepted(agent);
  await opened.arrange.settle();
  expect((await submissionsOf(agent.owner_id, next)).types).toEqual([['decision.submitted', record_id]]);
  await opened.arrange.freeze(now);
});
