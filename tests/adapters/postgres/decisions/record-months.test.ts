import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { readDecisions } from '../../../../adapters/postgres/decisions/decision-reader.ts';
import { isRecent, rangeOf } from '../../../../adapters/postgres/decisions/record-months.ts';
import { freshDatabase, type TestDatabase } from '../../../harness/database.ts';

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await freshDatabase();
  client = new pg.Client(database.url);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const NEW_YEAR = new Date('2027-01-01T00:00:00.000Z');
const JANUARY = 'dec_20270101_00000000';
const DECEMBER = 'dec_20261231_ffffffff';
const NOVEMBER = 'dec_20261130_ffffffff';

test.each([
  [[JANUARY], 'dec_20270101 dec_20270201'],
  [[DECEMBER], 'dec_20261201 dec_20270101'],
  [[JANUARY, DECEMBER], 'dec_20261201 dec_20270201'],
  // No text of a caller is in a statement.
  [["dec_2026~'", DECEMBER], 'dec_20261201 dec_20270101'],
])('%j: the months of recent records as constants', (ids, name) => {
  const range = rangeOf(ids, NEW_YEAR);
  const [from, before] = name.split(' ');
  expect(range).toEqual({ name, of: expect.any(Function), values: [] });
  expect(range.of('d.id')).toBe(`d.id >= '${from}' and d.id < '${before}'`);
  expect(ids.every((id) => from && before && id >= from && id < before)).toBe(true);
});

test.each([
  [[NOVEMBER], [NOVEMBER, NOVEMBER]],
  [
    [JANUARY, NOVEMBER, DECEMBER],
    [NOVEMBER, JANUARY],
  ],
  [['dec_20270201_00000000'], ['dec_20270201_00000000', 'dec_20270201_00000000']],
])('%j: others by the first and the last as values', (ids, values) => {
  const range = rangeOf(ids, NEW_YEAR);
  expect([range.name, range.of('d.id'), range.values]).toEqual(['others', 'd.id between $3 and $4', values]);
});

test('recent are the records of the last month and of this one', () => {
  expect([NOVEMBER, DECEMBER, JANUARY].map((id) => isRecent(id, NEW_YEAR))).toEqual([false, true, true]);
});

test('a month begins where the functions of the database say', async () => {
  const { rows } = await client.query(
    `select app.month_start('2026-12-31') || ' ' || app.month_start('2027-01-01') as name`,
  );
  expect(rows[0]?.name).toBe(rangeOf([DECEMBER], NEW_YEAR).name);
});

test('the plan of a read of recent records has the partition of their month alone', async () => {
  for (let more = true; more; ) {
    const { rows } = await client.query<{ name: string | null }>('select app.add_month() as name');
    more = rows[0]?.name !== null;
  }
  const now = new Date();
  const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 2));
  const month = next.toISOString().slice(0, 7).replace('-', '');
  const text = readDecisions(rangeOf([`dec_${month}02_00000000`], next));
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, [[], []]);
  const used = rows.flatMap(
    (row) => / on ((?:decision|outcome)_\w+_(?:\d+|default))/.exec(row['QUERY PLAN'])?.[1] ?? [],
  );
  expect([...new Set(used)].sort()).toEqual(
    ['decision_documents', 'decision_outcomes', 'outcome_evidence'].map((table) => `${table}_${month}`),
  );
});
