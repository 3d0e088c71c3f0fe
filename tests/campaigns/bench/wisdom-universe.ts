import type pg from 'pg';
import { COHORT } from '../../../domain/limits.ts';
import type { Caller } from '../stage/callers.ts';
import { onClient } from '../stage/client.ts';

/** The database to fill, as its owner. */
export interface Filled {
  readonly url: string;
  readonly rows: number;
  /** How many further records ended without an outcome; none unless given. */
  readonly ungraded?: number;
  /** An agent that gets a copy of each record; none unless given. */
  readonly copiedTo?: Pick<Caller, 'owner_id' | 'agent_id'>;
}

/**
 * Fills the database with public records of one universe: the same instruments, owners and distributions for any number
 * of rows. A fifth of them refer to published workflows, if there are any; a fifth are graded by eval/1, and a twentieth
 * have a coarse grid. They are inserted in the order of their times, as in life. Indexes are created afterwards, those of
 * the cells too; the service's own rebuild makes the counts.
 */
export async function fillUniverse({ url, rows, ungraded = 0, copiedTo }: Filled): Promise<void> {
  await onClient(url, async (client) => {
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(INDEXES);
    for (const { name } of indexes) await client.query(`drop index app.${name}`);
    for (const text of [...SETTINGS, UNIVERSE]) await client.query(text);
    await client.query('alter table app.decisions disable trigger user');
    await client.query(RECORDS, [rows + ungraded, ungraded]);
    if (copiedTo) await copyRecords(client, copiedTo, rows + ungraded);
    await client.query('alter table app.decisions enable trigger user');
    for (const { definition } of indexes) await client.query(definition);
    await client.query('vacuum analyze app.decisions');
    const { rows: constraints } = await client.query<{ name: string; definition: string }>(KEYS_OF_CELLS);
    for (const { name } of constraints) await client.query(`alter table app.cohort_cells drop constraint ${name}`);
    await client.query('select app.rebuild_cohort_cells()');
    for (const { name, definition } of constraints)
      await client.query(`alter table app.cohort_cells add constraint ${name} ${definition}`);
    while ((await client.query('select app.extend_rollups($1) as made', [COHORT.cellsFrom])).rows[0]?.made > 0);
    await client.query('vacuum analyze app.cohort_cells');
  });
}

/** The copies are numbered on from the records, and as old as these. */
async function copyRecords(
  client: pg.Client,
  { owner_id, agent_id }: Pick<Caller, 'owner_id' | 'agent_id'>,
  rows: number,
) {
  const { rows: columns } = await client.query<{ name: string }>(COLUMNS);
  const own: Readonly<Record<string, string>> = {
    record_id: `left(record_id, 13) || lpad(to_hex(('x' || right(record_id, 8))::bit(32)::bigint + $1), 8, '0')`,
    owner_id: '$2',
    agent_id: '$3',
    number: 'null',
  };
  await client.query(
    `insert into app.decisions (${columns.map(({ name }) => name).join(', ')})
     select ${columns.map(({ name }) => own[name] ?? name).join(', ')} from app.decisions
     where owner_id in (select owner_id from bench.owners) order by submission_time`,
    [rows, owner_id, agent_id],
  );
}

const COLUMNS = `
  select attname as name from pg_attribute
  where attrelid = 'app.decisions'::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`;

const INDEXES = `
  select indexname as name, indexdef as definition from pg_indexes
  where schemaname = 'app' and tablename = 'decisions' and indexname <> 'decisions_pkey'`;

const KEYS_OF_CELLS = `
  select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
  where conrelid = 'app.cohort_cells'::regclass and contype in ('p', 'f')`;

const SETTINGS = [
  `set maintenance_work_mem = '512MB'`,
  `set work_mem = '256MB'`,
  'set synchronous_commit = off',
  'select setseed(0.42)',
];

/** The places are in the order of popularity. */
const UNIVERSE = `
  create schema if not exists bench;
  create table bench.instruments as
  select row_number() over (order by md5(concat(market, symbol, venue, asset_class, quote_currency))) - 1 as place, *
  from (
    select 'stock' as market, 'S' || i as symbol, (array['NYSE', 'NASDAQ', 'AMEX', 'ARCA', 'OTC'])[1 + i % 5] as venue,
      'spot' as asset_class, 'USD' as quote_currency
    from generate_series(1, 600) i
    union all
    select 'crypto', 'C' || i, venue, 'spot', quote
    from generate_series(1, 120) i, unnest(array['BINANCE', 'COINBASE', 'KRAKEN', 'OKX']) venue,
      unnest(array['USD', 'USDT']) quote
    union all
    select 'crypto', 'C' || i, venue, 'perp', 'USDT'
    from generate_series(1, 120) i, unnest(array['BINANCE', 'BYBIT', 'OKX']) venue
  ) listed;
  create table bench.owners as select i - 1 as place, md5('owner ' || i)::uuid as owner_id from generate_series(1, 2000) i`;

/** Three years; a few instruments and owners make up much of it, as in life. */
const RECORDS = `
  insert into app.decisions (record_id, owner_id, agent_id, instrument, market, symbol, venue, asset_class,
    quote_currency, submitted_symbol, direction, horizon_kind, horizon_value, analysis_class, perspective_type,
    data_cutoff, submission_time, submission_origin, anchor_time, end_time, settles_at, cohort_key, lifecycle_state,
    last_error, evaluated_at, result_bucket, created_regime, raw_return, directional_return, mfe, mae, listed_at,
    listed_xid, workflow_hash, move, method, grid)
  select 'dec_' || to_char(cutoff, 'YYYYMMDD') || '_' || lpad(to_hex(n), 8, '0'), owner_id,
    'agt_' || left(md5(owner_id::text), 12), concat_ws(':', market, symbol, venue, asset_class, quote_currency), market,
    symbol, venue, asset_class, quote_currency, symbol, direction, horizon_kind, horizon_value, analysis_class,
    perspective_type, cutoff, cutoff, origin, cutoff, graded, graded,
    lower(concat_ws(':', market, symbol, asset_class, 'usd', direction, band, analysis_class)),
    case when is_ungraded then 'data_unavailable' else 'evaluated' end, case when is_ungraded then 'no_trade: None.' end,
    graded, bucket, '{"label":"up_low","vol":0.25,"trend":0.875}', 0.01, 0.01, 0.02, -0.005, graded,
    pg_current_xact_id(),
    case when n % 5 = 0 then published.hashes[1 + n / 5 % cardinality(published.hashes)] end, n % 11,
    case when n % 5 = 0 then 'eval/1' else 'eval/2' end,
    case when n % 5 = 0 then null when n % 20 = 1 then 'coarse' else 'fine' end
  from (
    select n, n * 2654435761 % $1 < $2::int as is_ungraded,
      floor(1560 * power(random(), 2.2)) as instrument, floor(2000 * power(random(), 1.7)) as owner,
      (array['bullish', 'bullish', 'bullish', 'bearish', 'bearish', 'neutral'])[1 + floor(random() * 6)::int] as direction,
      case when random() < 0.03 then 'trade_plan' else 'opinion' end as analysis_class,
      (array['technical', 'technical', 'technical', 'fundamental', 'sentiment', 'quantitative', 'macro', 'alternative',
        'composite', null])[1 + floor(random() * 10)::int] as perspective_type,
      1 + floor(10 * power(random(), 1.5))::int as horizon,
      (array['strong_correct', 'weak_correct', 'weak_correct', 'weak_incorrect', 'strong_incorrect']
        )[1 + floor(random() * 5)::int] as bucket,
      case when random() < 0.15 then 'retroactive' else 'realtime' end as origin,
      timestamptz '2023-01-01 UTC' + make_interval(secs => floor((n - random()) / $1 * 94608000)) as cutoff
    from generate_series(1, $1::bigint) n
  ) said
  join bench.instruments i on i.place = said.instrument
  join bench.owners o on o.place = said.owner
  cross join (select array_agg(hash order by hash) as hashes from app.workflow_snapshots) published
  cross join lateral (
    select case market when 'stock' then 'trading_days' else 'holding_seconds' end as horizon_kind,
      case market when 'stock' then (array[1, 5, 3, 10, 20, 2, 15, 30, 60, 90])[horizon]
        else (array[86400, 3600, 604800, 14400, 259200, 1209600, 2592000, 900, 43200, 7776000])[horizon]
      end as horizon_value,
      (array['swing', 'intraday', 'position', 'long'])[1 + horizon % 4] as band,
      cutoff + make_interval(hours => 1 + horizon * 24) as graded
  ) h`;
