import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { aSubmission } from '../builders/decisions.ts';
import { type OpenedDatabase, onPostgres } from '../contracts/decisions/adapters.ts';
import { anOwnerWithAgent, type TestOwner } from '../harness/owners.ts';
import { openService, type TestService } from '../harness/service.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');

interface Feed {
  readonly items: readonly { readonly data: { readonly record_id?: string } }[];
  readonly next_cursor: string;
}

let opened: OpenedDatabase;
let service: TestService;
/** Transactions that stay open while others commit. */
let older: pg.Client;
beforeAll(async () => {
  opened = await onPostgres(4);
  service = await openService('postgres', { at: AT, opened });
  older = new pg.Client({ connectionString: opened.url });
  await older.connect();
});
afterAll(async () => {
  await older?.end();
  await service?.close();
});

/** A reader of one of the two feeds of an owner of two decisions; it goes on from cursor to cursor. */
function readerOf(owner: TestOwner, feed: 'agent' | 'owner') {
  let cursor = '';
  return async () => {
    const query = `/events${cursor && `?after=${cursor}`}`;
    const reply = feed === 'owner' ? owner.get(query) : owner.agent.get(`/api/v1/agent${query}`);
    const { items, next_cursor }: Feed = (await reply.expect(200)).body;
    cursor = next_cursor;
    return items.map(({ data }) => data.record_id);
  };
}

async function twoDecisions() {
  const owner = await anOwnerWithAgent(service);
  const ids: string[] = [];
  for (const symbol of ['BTC', 'ETH']) {
    const { body } = await owner.agent.submit(aSubmission(AT, { symbol })).expect(201);
    ids.push(body.record_id);
  }
  await opened.arrange.settle();
  const [first = '', second = ''] = ids;
  const readers = [readerOf(owner, 'agent'), readerOf(owner, 'owner')];
  // Only owners read of submissions; what is read next is behind those.
  expect(await readAll(readers)).toEqual([[], [first, second]]);
  return { readers, first, second };
}

const reject = (client: pg.Client, record_id: string) =>
  client.query(`update app.decisions set lifecycle_state = 'rejected' where record_id = $1`, [record_id]);

const readAll = async (readers: readonly (() => Promise<readonly unknown[]>)[]) => {
  const read = [];
  for (const reader of readers) read.push(await reader());
  return read;
};

test('an event whose transaction is open holds back those that are written after it, and comes before them', async () => {
  const { readers, first, second } = await twoDecisions();
  await older.query('begin');
  await reject(older, first);
  await reject(opened.owner, second);
  expect([await readAll(readers), await readAll(readers)]).toEqual([
    [[], []],
    [[], []],
  ]);
  await older.query('commit');
  await opened.arrange.settle();
  const both = [first, second];
  expect(await readAll(readers)).toEqual([both, both]);
  expect(await readAll(readers)).toEqual([[], []]);
});

test('an event that is written late, by the transaction that began first, comes behind those that were there', async () => {
  const { readers, first, second } = await twoDecisions();
  await older.query('begin');
  await older.query('select pg_current_xact_id()');
  await reject(opened.owner, second);
  expect(await readAll(readers)).toEqual([[], []]);
  await reject(older, first);
  expect(await readAll(readers)).toEqual([[], []]);
  await older.query('commit');
  await opened.arrange.settle();
  const both = [second, first];
  expect(await readAll(readers)).toEqual([both, both]);
});

test('a transaction that is undone leaves no gap: the events behind it are read', async () => {
  const { readers, first, second } = await twoDecisions();
  await older.query('begin');
  await reject(older, first);
  await reject(opened.owner, second);
  await older.query('rollback');
  await opened.arrange.settle();
  expect(await readAll(readers)).toEqual([[second], [second]]);
});
