import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readRollups } from '../../../adapters/postgres/cohorts/cohort-plan.ts';
import { summarise } from '../../../adapters/postgres/cohorts/cohort-summary.ts';
import type { CohortFilter } from '../../../domain/cohorts/cohort-filter.ts';
import { type OpenedDatabase, onPostgres } from '../../contracts/decisions/adapters.ts';

// What is counted from the records themselves is read from an index alone: with one column more than it has, each record
// costs a page of the table, which of 50,000 records are 40 times as many.

let opened: OpenedDatabase;
beforeAll(async () => {
  opened = await onPostgres(1);
});
afterAll(() => opened.close());

const instrument = { symbol: 'BTC', venue: 'BINANCE', asset_class: 'spot', quote_currency: 'USDT' } as const;

test.each<[string, Omit<CohortFilter, 'market' | 'include_retroactive'>]>([
  ['public_by_market', { direction: 'bullish', analysis_class: 'opinion' }],
  ['public_by_symbol', { symbol: 'BTC', direction: 'bullish' }],
  ['public_by_venue', { venue: 'BINANCE', quote_currency: 'USDT' }],
  ['public_by_instrument', instrument],
  ['public_by_horizon', { horizon_kind: 'holding_seconds', horizon_value: 86_400, direction: 'neutral' }],
  ['public_by_horizon', { horizon_value: 86_400, venue: 'BINANCE' }],
  ['public_by_cohort_key', { cohort_key: 'crypto:btc:spot:usdt:bullish:intraday:opinion', venue: 'BINANCE' }],
])('%s has every column by which records are counted', async (index, shape) => {
  const bounds = { data_cutoff_since: new Date('2026-01-01T00:10:00Z'), as_of: new Date('2026-02-01T00:10:00Z') };
  const filter: CohortFilter = { market: 'crypto', include_retroactive: false, ...shape, ...bounds };
  const needed = await columnsOf(filter);
  expect(needed).toEqual(expect.arrayContaining(['move', 'owner_id', 'data_cutoff', 'cohort_exception']));
  const { rows } = await opened.owner.query<{ attname: string }>(
    `select attname from pg_attribute where attrelid = ('app.' || $1)::regclass`,
    [index],
  );
  const covered = rows.map(({ attname }) => attname);
  expect(needed.filter((column) => !covered.includes(column))).toEqual([]);
});

/** Those of app.cohort_decisions in the statement, up to the moment, which a standby alone reads from records. */
async function columnsOf(filter: CohortFilter): Promise<readonly string[]> {
  const read = async <Row extends object>(text: string, values: readonly unknown[] = []) =>
    (await opened.owner.query<Row>(text, [...values])).rows;
  const rollups = await readRollups({ rows: read });
  const texts: string[] = [];
  const rows = async <Row extends object>(text: string, values: readonly unknown[] = []) => {
    texts.push(text);
    return read<Row>(text, values);
  };
  await summarise({ rows }, filter, { producers: 5, ownerProof: 'none' }, rollups);
  const [counts = ''] = texts.join(' ').split('pg_is_in_recovery');
  return [...new Set([...counts.matchAll(/\bd\.(\w+)/g)].map(([, column = '']) => column))];
}
