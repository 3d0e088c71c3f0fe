import { randomUUID } from 'node:crypto';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { problemOf } from '../../../../adapters/http/kit/reply/faults.ts';
import { OWNERS } from '../../../../adapters/postgres/entities/owners.ts';
import { openDataSource, poolSql } from '../../../../adapters/postgres/kit/data-source.ts';
import type { Sql } from '../../../../adapters/postgres/kit/sql.ts';
import { freshDatabase, type TestDatabase } from '../../../harness/database.ts';
import { lineTo } from '../../../harness/line.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

test('a caller that gets no connection in time gets SERVICE_UNAVAILABLE, and the pool goes on', async () => {
  const source = await openDataSource({ url: database.serviceUrl, poolSize: 1, connectionTimeout: 3_000 });
  const pool = poolSql(source);
  const release = Promise.withResolvers<void>();
  const busy = pool.atomically(() => release.promise);
  const refusal = await pool.rows('select 1').catch(problemOf);
  expect(refusal).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
  release.resolve();
  await busy;
  expect(await pool.rows('select 1 as one')).toEqual([{ one: 1 }]);
  await source.destroy();
});

test('a condition of null or undefined is refused, and matches neither all rows nor the first', async () => {
  const source = await openDataSource({ url: database.serviceUrl, poolSize: 1 });
  const { tables } = poolSql(source);
  const missing = JSON.parse('{"email": null}');
  await expect(tables.findOneBy(OWNERS, missing)).rejects.toThrow('Null value');
  await expect(tables.findOneBy(OWNERS, { ...missing, email: undefined })).rejects.toThrow('Undefined value');
  await expect(tables.delete(OWNERS, missing)).rejects.toThrow('Null value');
  await expect(tables.update(OWNERS, { ...missing, email: undefined }, { tier: 'pro' })).rejects.toThrow('Undefined');
  await expect(tables.delete(OWNERS, {})).rejects.toThrow('Empty criteria');
  await source.destroy();
});

test('an idle connection that breaks is reported, and not once the pool ends', async () => {
  const broken: unknown[] = [];
  const onIdleError = (error: Error) => broken.push(error);
  const source = await openDataSource({ url: database.serviceUrl, poolSize: 1, onIdleError });
  const fault = new Error('terminating connection due to administrator command');
  source.pool.emit('error', fault);
  expect(broken).toEqual([fault]);
  const ended = source.destroy();
  source.pool.emit('error', fault);
  await ended;
  expect(broken).toEqual([fault]);
});

test('the end fails an open transaction, and runs no statement that waits for its connection inside of it', async () => {
  const source = await openDataSource({ url: database.serviceUrl, poolSize: 1, connectionTimeout: 3_000 });
  const pool = poolSql(source);
  const [begun, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const open = pool.atomically(async (own) => {
    await own.rows('select 1');
    begun.resolve();
    await release.promise;
  });
  await begun.promise;
  const waiting = pool.rows('select 1').catch(problemOf);
  await source.destroy();
  release.resolve();
  await expect(open).rejects.toThrow('Client was closed');
  expect(await waiting).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

test('a missing database is reported at once', async () => {
  const url = new URL(database.serviceUrl);
  url.port = '1';
  const error = await openDataSource({ url: url.href, poolSize: 1 }).catch((reason: unknown) => reason);
  expect(problemOf(error).code).toBe('SERVICE_UNAVAILABLE');
});

test.each([
  ['a statement', (sql: Sql) => sql.rows('select 1')],
  ['a transaction', (sql: Sql) => sql.atomically((own) => own.rows('select 1'))],
])('%s on a machine that is gone without a word ends, and the next goes to the one that took over', async (_, work) => {
  const line = await lineTo(database.serviceUrl);
  const source = await openDataSource({ url: line.url, poolSize: 1, longestStatement: 1_000 });
  const pool = poolSql(source);
  await work(pool);
  line.swallow();
  expect(await work(pool).catch(problemOf)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
  line.takeOver();
  expect(await work(pool)).toHaveLength(1);
  await source.destroy();
  line.cut();
  line.close();
});

test('a statement may take longer where its transaction says so, and no longer', async () => {
  const source = await openDataSource({ url: database.serviceUrl, poolSize: 1, longestStatement: 300 });
  const pool = poolSql(source);
  const sleeping = (seconds: number) => (sql: Sql) => sql.rows('select pg_sleep($1)', [seconds]);
  const ended = { code: '57014' };
  await expect(pool.atomically(sleeping(1), 10_000)).resolves.toHaveLength(1);
  await expect(pool.atomically((own) => own.atomically(sleeping(1), 10_000))).resolves.toHaveLength(1);
  await expect(pool.atomically(sleeping(1), 500)).rejects.toMatchObject(ended);
  await expect(pool.atomically(sleeping(1))).rejects.toMatchObject(ended);
  await expect(sleeping(1)(pool)).rejects.toMatchObject(ended);
  await source.destroy();
});

test('a connection that breaks while it is opened is reported, and does not end the process', async () => {
  const ready = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(ready);
      socket.once('data', () => socket.resetAndDestroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const opening = openDataSource({ url: `postgresql://nobody:none@127.0.0.1:${port}/none`, poolSize: 1 });
  const error = await opening.catch((reason: unknown) => reason);
  expect(problemOf(error).code).toBe('SERVICE_UNAVAILABLE');
  server.close();
});

test('a connection that is ended in the moment in which it changes hands does not end the process', async () => {
  const { url, close } = await endingAfter(database.serviceUrl, 'last words');
  const source = await openDataSource({ url, poolSize: 1 });
  const pool = poolSql(source);
  const last = pool.rows("select 'last words'");
  const next = pool.atomically((sql) => sql.rows('select 1')).catch(problemOf);
  expect(await last).toHaveLength(1);
  expect(await next).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await source.destroy();
  await close();
});

/** Leads to the database, whose reply to the statement with those words comes in one piece with the news of its shutdown. */
async function endingAfter(databaseUrl: string, words: string) {
  const server = createServer((near) => {
    const far = createConnection(Number(new URL(databaseUrl).port), '127.0.0.1');
    let isLast = false;
    near.on('data', (sent) => {
      isLast ||= sent.includes(words);
      far.write(sent);
    });
    far.on('data', (reply) => near.write(isLast ? Buffer.concat([reply, SHUTDOWN]) : reply));
    for (const end of [near, far])
      end.on('error', () => undefined).on('close', () => [near, far].map((e) => e.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = Object.assign(new URL(databaseUrl), { port: String((server.address() as AddressInfo).port) });
  return { url: url.href, close: () => new Promise((resolve) => server.close(resolve)) };
}

const FIELDS = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mshut down\0\0');
const SHUTDOWN = Buffer.concat([Buffer.from([0x45, 0, 0, 0, FIELDS.length + 4]), FIELDS]);

test.each([
  [true, 0],
  [false, 2],
])(
  'pooled %s: %i named statements are left in the session, and none of its settings behind a pooler',
  async (pooled, named) => {
    const source = await openDataSource({ url: database.serviceUrl, poolSize: 1, pooled });
    const pool = poolSql(source, { pooled });
    await pool.rows('select $1::int', [1], 'one');
    await pool.atomically((sql) => sql.rows('select $1::int + 1', [1], 'two'));
    await pool.tables.findOneBy(OWNERS, { owner_id: randomUUID() });
    await pool.atomically((sql) => sql.tables.findOneBy(OWNERS, { owner_id: randomUUID() }));
    expect(await pool.rows('select from pg_prepared_statements')).toHaveLength(named);
    const [session] = await pool.rows<{ source: string }>(
      "select source from pg_settings where name = 'statement_timeout'",
    );
    expect(session?.source === 'client').toBe(!pooled);
    await source.destroy();
  },
);
