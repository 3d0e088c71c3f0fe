import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { problemOf } from '../../../../adapters/http/kit/reply/faults.ts';
import { OWNERS } from '../../../../adapters/postgres/entities/owners.ts';
import { openDataSource, type PooledDataSource, poolSql } from '../../../../adapters/postgres/kit/data-source.ts';
import { type Sql, sqlState } from '../../../../adapters/postgres/kit/sql.ts';
import { type Transact, transactionsOf } from '../../../../adapters/postgres/kit/transaction.ts';
import { execute, freshDatabase, type TestDatabase } from '../../../harness/database.ts';

let database: TestDatabase;
let source: PooledDataSource;
let transact: Transact;
let pool: Sql;
const idleErrors: Error[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  await execute(database.url, FAIL);
  const onIdleError = (error: Error) => idleErrors.push(error);
  source = await openDataSource({ url: database.serviceUrl, poolSize: 3, onIdleError });
  transact = transactionsOf(source);
  pool = poolSql(source);
});
const FAIL = `create function fail(state text) returns void language plpgsql as
  $$ begin raise exception 'planned' using errcode = state; end $$`;
beforeEach(() => execute(database.url, 'truncate app.submit_hours'));
afterAll(async () => {
  await source.destroy();
  await database.drop();
});

const fail = (sql: Sql, state: string) => sql.rows('select fail($1)', [state]);
const raise = (tables: Sql['tables'], state: string) =>
  tables.createQueryBuilder().select(`fail('${state}')`).fromDummy().getRawOne();
const write = (sql: Sql, record: string) =>
  sql.rows("insert into app.submit_hours values ($1, '2026-01-30', 1)", [record]);
const written = async () =>
  (await pool.rows<{ agent_id: string }>('select agent_id from app.submit_hours order by 1')).map(
    (row) => row.agent_id,
  );

test('every transaction, and every statement outside of one, is READ COMMITTED', async () => {
  const show = 'show transaction_isolation';
  const inside = await transact((sql) => sql.rows(show));
  expect([...inside, ...(await pool.rows(show))]).toEqual(
    Array.from({ length: 2 }, () => ({ transaction_isolation: 'read committed' })),
  );
});

test.each(['40001', '40P01'])(
  'the work is run again after %s, and what the failed attempts did is gone',
  async (state) => {
    let attempts = 0;
    const result = await transact(async (sql) => {
      attempts += 1;
      await write(sql, `attempt ${attempts}`);
      if (attempts < 3) await fail(sql, state);
      return attempts;
    });
    expect(result).toBe(3);
    expect(await written()).toEqual(['attempt 3']);
  },
);

test('also when the work hides the failure, or throws something else because of it', async () => {
  let attempts = 0;
  const hide = async (sql: Sql) => {
    attempts += 1;
    if (attempts === 1) await fail(sql, '40001').catch(() => undefined);
    if (attempts === 2) {
      await fail(sql, '40001').catch(() => {
        throw new Error('could not');
      });
    }
    return 'done';
  };
  expect(await transact(hide)).toBe('done');
  expect(attempts).toBe(3);
});

test('so it is for statements of repositories', async () => {
  let attempts = 0;
  const result = await transact(async ({ tables }) => {
    attempts += 1;
    if (attempts === 1) await raise(tables, '40001');
    if (attempts === 2) await raise(tables, '40P01').catch(() => undefined);
    return 'done';
  });
  expect(result).toBe('done');
  expect(attempts).toBe(3);
});

test('it is given up after six attempts', async () => {
  let attempts = 0;
  const work = transact(async (sql) => {
    attempts += 1;
    await fail(sql, '40001');
  });
  await expect(work).rejects.toMatchObject({ code: '40001' });
  expect(attempts).toBe(6);
});

test('any other failure is not run again', async () => {
  let attempts = 0;
  const work = transact(async (sql) => {
    attempts += 1;
    await sql.rows('select 1 / 0');
  });
  await expect(work).rejects.toMatchObject({ code: '22012' });
  expect(attempts).toBe(1);
});

test('a failed statement undoes the transaction even if the work catches it, and its error comes through', async () => {
  const work = transact(async (sql) => {
    await write(sql, 'before');
    await sql.rows('select 1 / 0').catch(() => undefined);
  });
  await expect(work).rejects.toMatchObject({ code: '22012' });
  expect(await written()).toEqual([]);
});

test('two transactions that lock in opposite order both succeed', async () => {
  await write(pool, 'a');
  await write(pool, 'b');
  const bothHold = Promise.withResolvers<void>();
  let holding = 0;
  const lock = (sql: Sql, record: string) =>
    sql.rows('select from app.submit_hours where agent_id = $1 for update', [record]);
  const inOrder = (first: string, second: string) =>
    transact(async (sql) => {
      await lock(sql, first);
      holding += 1;
      if (holding === 2) bothHold.resolve();
      await bothHold.promise;
      await lock(sql, second);
      return 'done';
    });
  expect(await Promise.all([inOrder('a', 'b'), inOrder('b', 'a')])).toEqual(['done', 'done']);
  expect(holding).toBeGreaterThan(2);
});

test.each([
  ['a step', (sql: Sql): Promise<unknown> => write(sql, 'late')],
  ['a step of a repository', ({ tables }: Sql): Promise<unknown> => tables.delete(OWNERS, { owner_id: randomUUID() })],
])(
  '%s that comes after the end is refused and does not reach the next transaction on that connection',
  async (_, step) => {
    const ended = Promise.withResolvers<void>();
    const { late } = await transact(async (sql) => ({ late: ended.promise.then(() => step(sql)) }));
    const next = transact(async (sql) => {
      ended.resolve();
      await expect(late).rejects.toThrow('after the end of its transaction');
      await write(sql, 'next');
    });
    await next;
    expect(await written()).toEqual(['next']);
  },
);

test('a connection that dies inside a transaction fails it alone; nothing it did stays', async () => {
  const work = transact(async (sql) => {
    await write(sql, 'lost');
    await sql.rows('select pg_terminate_backend(pg_backend_pid())');
  });
  await expect(work).rejects.toThrow();
  expect(await written()).toEqual([]);
});

test('a step of a repository on a connection that died before it says that the database cannot be reached', async () => {
  const work = transact(async ({ rows, tables }) => {
    const [own] = await rows<{ pid: number }>('select pg_backend_pid() as pid');
    await execute(database.serviceUrl, `select pg_terminate_backend(${own?.pid})`);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await tables.delete(OWNERS, { owner_id: randomUUID() });
  });
  const error = await work.catch((thrown: unknown) => thrown);
  expect(problemOf(error).code).toBe('SERVICE_UNAVAILABLE');
});

test('a connection that dies while the work is busy elsewhere does not end the process', async () => {
  let ended = false;
  const work = transact(async (sql) => {
    const [own] = await sql.rows<{ pid: number }>('select pg_backend_pid() as pid');
    await execute(database.serviceUrl, `select pg_terminate_backend(${own?.pid})`);
    ended = true;
    await new Promise((resolve) => setTimeout(resolve, 50));
    await write(sql, 'lost');
  });
  await expect(work).rejects.toThrow();
  expect(ended).toBe(true);
  expect(await written()).toEqual([]);
});

test.each([
  ['25006', 'is closed', false],
  ['23505', 'is kept', true],
])('after %s the connection %s', async (state, _, reused) => {
  const single = await openDataSource({ url: database.serviceUrl, poolSize: 1 });
  const pidOf = async (sql: Sql) => (await sql.rows<{ pid: number }>('select pg_backend_pid() as pid'))[0]?.pid;
  const before = await pidOf(poolSql(single));
  await expect(transactionsOf(single)((sql) => fail(sql, state))).rejects.toMatchObject({ code: state });
  expect((await pidOf(poolSql(single))) === before).toBe(reused);
  await single.destroy();
});

test('idle connections that the server ends are reported and replaced', async () => {
  await pool.rows('select 1');
  await execute(
    database.serviceUrl,
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'stancebook' and datname = current_database()",
  );
  while (idleErrors.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(sqlState(idleErrors[0])).toBe('57P01');
  expect(await pool.rows('select 1 as one')).toEqual([{ one: 1 }]);
});

test('many times as many transactions as connections at once all succeed', async () => {
  const work = (name: number) => transact((sql) => write(sql, String(name)));
  await Promise.all(Array.from({ length: 50 }, (_, name) => work(name)));
  expect(await written()).toHaveLength(50);
});
