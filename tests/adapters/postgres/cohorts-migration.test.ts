import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../../adapters/postgres/migrations/migrate.ts';
import { MIGRATIONS } from '../../../adapters/postgres/migrations/migration-files.ts';
import { openPostgres, type PostgresStorage } from '../../../adapters/postgres/storage.ts';
import { everyPage } from '../../contracts/cohorts/paging.ts';
import { NO_JOBS } from '../../contracts/decisions/adapters.ts';
import { execute, freshDatabase, roleOf, type TestDatabase } from '../../harness/database.ts';

const RECORD = `
  insert into app.decisions (record_id, owner_id, agent_id, instrument, market, symbol, venue, asset_class, quote_currency,
    submitted_symbol, direction, horizon_kind, horizon_value, analysis_class, data_cutoff, submission_time, submission_origin,
    anchor_time, end_time, settles_at, cohort_key, lifecycle_state, evaluated_at, result_bucket, raw_return, mae)
  select 'dec_20260101_0000000' || n, gen_random_uuid(), 'agt_000000000000', 'crypto:BTC:KRAKEN:spot:USD', 'crypto', 'BTC',
    'KRAKEN', 'spot', 'USD', 'BTC', 'bullish', 'holding_seconds', 3600, 'opinion', at, at, 'realtime', at,
    at + interval '1 hour', at, 'crypto:btc:spot:usd:bullish:intraday:opinion', state, at, 'weak_correct', 0.01, 0
  from (values (1, 'evaluated'), (2, 'evaluated'), (3, 'quarantined')) r(n, state),
    (values (timestamptz '2026-01-01T00:00:00Z')) t(at)`;

let database: TestDatabase;
let storage: PostgresStorage;
beforeAll(async () => {
  database = await freshDatabase({ empty: true });
  const { url, serviceUrl } = database;
  const serviceRole = roleOf(serviceUrl);
  const before = MIGRATIONS.filter(({ name }) => Number(name.slice(-13)) < 1_763_700_000_003);
  expect(before.length).toBeLessThan(MIGRATIONS.length);
  await migrate({ url, serviceRole, release: { migrations: before, functions: null } });
  await execute(url, RECORD);
  await migrate({ url, serviceRole });
  storage = await openPostgres({ url: serviceUrl, poolSize: 2, openJobs: async () => NO_JOBS });
});
afterAll(async () => {
  await storage.close();
  await database.drop();
});

const waiting = async () => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rowCount } = await client.query('select from app.cohort_tail');
  await client.end();
  return rowCount;
};

test('what was graded before there were cells is counted and paged', async () => {
  const filter = { market: 'crypto', symbol: 'BTC', include_retroactive: false } as const;
  for (const left of [1, 0]) {
    expect(await storage.cohortCells.fold(1)).toBe(1);
    expect(await waiting()).toBe(left);
    const { result, moment } = await storage.cohorts.summarise(filter, 2);
    expect([result.samples, result.enoughProducers]).toEqual([2, true]);
    const walk = { sort: 'data_cutoff_asc', limit: 10, moment } as const;
    expect(await everyPage(storage.cohorts, filter, walk)).toHaveLength(2);
  }
  expect(await storage.cohortCells.check()).toEqual([]);
});
