import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { windowCountsOf } from '../../../../adapters/postgres/decisions/agent-lists.ts';
import { type CountedWindow, windowCountsUpToLimit } from '../../../../domain/decisions/own/window-counts.ts';
import { COHORT } from '../../../../domain/limits.ts';
import { VENUE_TIME_ZONES } from '../../../../domain/market/calendars/by-venue.ts';
import type { Instrument } from '../../../../domain/market/instrument.ts';
import { DAY, HOUR, MINUTE } from '../../../../domain/time.ts';
import { freshDatabase, type TestDatabase } from '../../../harness/database.ts';

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await freshDatabase();
  client = new pg.Client({ connectionString: database.serviceUrl });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** Around both changes of the clocks in New York. */
const MOMENTS = [Date.UTC(2024, 2, 10, 4), Date.UTC(2024, 10, 3, 3), Date.UTC(2024, 5, 1)];
const INSTRUMENTS: readonly Instrument[] = [
  { market: 'stock', symbol: 'MSFT', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' },
  { market: 'stock', symbol: '600000', venue: 'SSE', asset_class: 'spot', quote_currency: 'CNY' },
  { market: 'crypto', symbol: 'BTC', venue: 'BINANCE', asset_class: 'spot', quote_currency: 'USDT' },
  { market: 'crypto', symbol: 'BTC', venue: 'KRAKEN', asset_class: 'spot', quote_currency: 'USD' },
];

const windowOf = fc
  .record({
    instrument: fc.constantFrom(...INSTRUMENTS),
    around: fc.constantFrom(...MOMENTS),
    start: fc.oneof(fc.integer({ min: 0, max: 20 * MINUTE }), fc.integer({ min: -DAY, max: 2 * DAY })),
    // The shortest horizon is two minutes.
    length: fc.oneof(fc.integer({ min: 2 * MINUTE, max: 15 * MINUTE }), fc.integer({ min: HOUR, max: 9 * DAY })),
  })
  .map(({ instrument, around, start, length }): CountedWindow => {
    return { instrument, anchor_time: around + start, end_time: around + start + length };
  });

test('the database counts any windows as the domain does', async () => {
  const property = fc.asyncProperty(fc.array(windowOf, { maxLength: 60 }), async (windows) => {
    expect(await counted(windows)).toEqual(windowCountsUpToLimit(windows));
  });
  await fc.assert(property, { numRuns: 200, seed: 5 });
});

test('as many windows as the limit are counted exactly, and one more are not', async () => {
  const [instrument] = INSTRUMENTS;
  if (!instrument) throw new Error('There are instruments.');
  const windows = Array.from({ length: COHORT.mostWindows + 1 }, (_, i): CountedWindow => {
    const anchor_time = Date.UTC(2024, 0, 1) + ((i * 7_919) % 50_000) * MINUTE;
    return { instrument, anchor_time, end_time: anchor_time + (2 + (i % 90)) * MINUTE };
  });
  const most = windows.slice(1);
  expect(await counted(most)).toEqual(windowCountsUpToLimit(most));
  expect([await counted(windows), windowCountsUpToLimit(windows)]).toEqual([null, null]);
});

async function counted(windows: readonly CountedWindow[]): Promise<unknown> {
  const members = `select * from unnest($1::text[], $2::text[], $3::timestamptz[], $4::timestamptz[])
    as d(security, venue, anchor_time, end_time)`;
  const { rows } = await client.query(`select ${windowCountsOf(members, '$5')} as windows`, [
    windows.map(({ instrument }) => `${instrument.market}:${instrument.symbol}`),
    windows.map(({ instrument }) => instrument.venue),
    windows.map(({ anchor_time }) => new Date(anchor_time)),
    windows.map(({ end_time }) => new Date(end_time)),
    VENUE_TIME_ZONES,
  ]);
  return rows[0]?.windows;
}
