import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { openDataSource, type PooledDataSource, poolSql } from '../../../../adapters/postgres/kit/data-source.ts';
import { deleteExpired } from '../../../../adapters/postgres/kit/expired-rows.ts';
import type { Sql } from '../../../../adapters/postgres/kit/sql.ts';
import { HOUR } from '../../../../domain/time.ts';
import { race } from '../../../contracts/adapters.ts';
import { NOON, type OpenedDatabase, onPostgres } from '../../../contracts/decisions/adapters.ts';

const EXPIRED = { table: 'cooldowns', condition: 'last_at <= $3', values: [NOON] };

let opened: OpenedDatabase;
let sql: Sql;
let source: PooledDataSource;
beforeAll(async () => {
  opened = await onPostgres(4);
  source = await openDataSource({ url: opened.serviceUrl, poolSize: 4 });
  sql = poolSql(source);
});
afterAll(async () => {
  await source.destroy();
  await opened.close();
});
beforeEach(async () => {
  await opened.arrange.freeze(NOON);
  await opened.owner.query('truncate app.cooldowns, app.expiry_passes');
});

/** Rows of which every second has expired; 150,000 of them are some 1,900 pages. */
const fill = (rows: number) =>
  opened.owner.query(
    `insert into app.cooldowns
    select 'agent ' || n, 'crypto', 'BTC', 'bullish', $2::timestamptz + (n % 2) * interval '1 ms', 'dec_' || n
    from generate_series(1, $1) n`,
    [rows, NOON],
  );

const remaining = async () => {
  const { rows } = await opened.owner.query(
    `select count(*) filter (where last_at <= $1)::int as expired, count(*) filter (where last_at > $1)::int as others
    from app.cooldowns`,
    [NOON],
  );
  return rows[0];
};

const passes = () => opened.storage.expiry.passes();

test('a small table is passed whole in one call, and keeps what has not expired', async () => {
  await fill(10_000);
  expect(await deleteExpired(sql, EXPIRED)).toBe(5_000);
  expect(await remaining()).toEqual({ expired: 0, others: 5_000 });
  expect(await passes()).toEqual([{ table: 'cooldowns', deleted: 5_000, clean_until: NOON }]);
  expect(await deleteExpired(sql, EXPIRED)).toBe(0);
});

test('the pages of a large table are due over an hour, and a later call goes on where the last one ended', async () => {
  await fill(150_000);
  const first = await deleteExpired(sql, EXPIRED);
  expect(first).toBeGreaterThan(30_000);
  expect(first).toBeLessThan(70_000);
  expect(await deleteExpired(sql, EXPIRED)).toBeLessThan(10_000);
  expect(await passes()).toMatchObject([{ clean_until: null }]);
  await opened.arrange.advance(HOUR);
  await deleteExpired(sql, EXPIRED);
  expect(await remaining()).toEqual({ expired: 0, others: 75_000 });
  expect(await passes()).toEqual([{ table: 'cooldowns', deleted: 75_000, clean_until: NOON }]);
});

test('a row that a submission holds leaves its part to the next call', async () => {
  await fill(100);
  const submission = new pg.Client(opened.serviceUrl);
  await submission.connect();
  try {
    await submission.query(
      `begin; update app.cooldowns set last_at = last_at + interval '1 s' where agent_id = 'agent 2'`,
    );
    expect(await deleteExpired(sql, EXPIRED)).toBe(0);
    await submission.query('commit');
    expect(await deleteExpired(sql, EXPIRED)).toBe(49);
  } finally {
    await submission.end();
  }
  expect(await remaining()).toEqual({ expired: 0, others: 51 });
});

test('processes at once take each part once', async () => {
  await fill(150_000);
  await deleteExpired(sql, EXPIRED);
  await opened.arrange.advance(HOUR);
  await race(4, () => deleteExpired(sql, EXPIRED));
  expect(await remaining()).toEqual({ expired: 0, others: 75_000 });
  expect(await passes()).toMatchObject([{ deleted: 75_000 }]);
});

test('a table that shrank under a pass begins the next one', async () => {
  await fill(150_000);
  await deleteExpired(sql, EXPIRED);
  await opened.owner.query('truncate app.cooldowns');
  await fill(1_000);
  await deleteExpired(sql, EXPIRED);
  expect(await deleteExpired(sql, EXPIRED)).toBe(500);
});
