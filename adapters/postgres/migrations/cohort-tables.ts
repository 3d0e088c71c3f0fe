/** What cohorts are counted from (docs/adr/0006-cohorts-are-cells-and-a-tail.md). */
export const COHORT_TABLES = `
create table app.cohort_rollups (
  rollup smallint primary key,
  grain text not null,
  period text not null check (period in ('all', 'month', 'day', 'six_hours')),
  clock text not null check (clock in ('data_cutoff', 'evaluated_at')),
  finer smallint references app.cohort_rollups check (finer > rollup),
  symbol boolean not null,
  venue boolean not null,
  asset_class boolean not null,
  quote_currency boolean not null,
  cohort_key boolean not null,
  direction boolean not null,
  analysis_class boolean not null,
  horizon_kind boolean not null,
  horizon_value boolean not null,
  unique (grain, period, clock)
);
comment on table app.cohort_rollups is 'Which columns the cells of a rollup keep apart beside market, perspective, bucket and origin, and by which periods of which time.';
comment on column app.cohort_rollups.finer is 'The rollup that its cells add up from: by shorter periods, or of more columns. It has a higher number.';
insert into app.cohort_rollups
select rollup, grain, period, clock, finer, 'symbol' = any(c), 'venue' = any(c), 'asset_class' = any(c),
  'quote_currency' = any(c), 'cohort_key' = any(c), 'direction' = any(c), 'analysis_class' = any(c),
  'horizon_kind' = any(c), 'horizon_value' = any(c)
from (values
  (1, 'market', 'all', 'data_cutoff', 2, ''),
  (2, 'market', 'month', 'data_cutoff', 3, ''),
  (3, 'market', 'day', 'data_cutoff', 8, ''),
  (4, 'market', 'month', 'evaluated_at', 5, ''),
  (5, 'market', 'day', 'evaluated_at', 10, ''),
  (6, 'calls', 'all', 'data_cutoff', 7, 'direction analysis_class'),
  (7, 'calls', 'month', 'data_cutoff', 8, 'direction analysis_class'),
  (8, 'calls', 'day', 'data_cutoff', null, 'direction analysis_class'),
  (9, 'calls', 'month', 'evaluated_at', 10, 'direction analysis_class'),
  (10, 'calls', 'day', 'evaluated_at', null, 'direction analysis_class'),
  (11, 'horizons', 'all', 'data_cutoff', 12, 'direction analysis_class horizon_kind horizon_value'),
  (12, 'horizons', 'month', 'data_cutoff', null, 'direction analysis_class horizon_kind horizon_value'),
  (13, 'venues', 'all', 'data_cutoff', 14, 'venue asset_class quote_currency'),
  (14, 'venues', 'month', 'data_cutoff', null, 'venue asset_class quote_currency'),
  (15, 'venues', 'month', 'evaluated_at', 16, 'venue asset_class quote_currency'),
  (16, 'venues', 'day', 'evaluated_at', null, 'venue asset_class quote_currency'),
  (17, 'venue_calls', 'all', 'data_cutoff', 19, 'venue asset_class quote_currency direction analysis_class'),
  (18, 'venue_horizons', 'all', 'data_cutoff', 19, 'venue asset_class quote_currency horizon_kind horizon_value'),
  (19, 'venue_call_horizons', 'all', 'data_cutoff', 27,
    'venue asset_class quote_currency direction analysis_class horizon_kind horizon_value'),
  (20, 'symbols', 'all', 'data_cutoff', 21, 'symbol'),
  (21, 'symbols', 'month', 'data_cutoff', null, 'symbol'),
  (22, 'symbols', 'month', 'evaluated_at', null, 'symbol'),
  (23, 'symbol_horizons', 'all', 'data_cutoff', 27, 'symbol horizon_kind horizon_value'),
  (24, 'instruments', 'all', 'data_cutoff', 25, 'symbol venue asset_class quote_currency'),
  (25, 'instrument_calls', 'all', 'data_cutoff', 27,
    'symbol venue asset_class quote_currency direction analysis_class'),
  (26, 'cohort_keys', 'all', 'data_cutoff', null, 'cohort_key'),
  (27, 'everything', 'all', 'data_cutoff', null,
    'symbol venue asset_class quote_currency cohort_key direction analysis_class horizon_kind horizon_value'),
  (28, 'market', 'six_hours', 'data_cutoff', null, ''),
  (29, 'market', 'six_hours', 'evaluated_at', null, '')
) as listed(rollup, grain, period, clock, finer, columns), string_to_array(columns, ' ') as c;

create table app.cohort_cells (
  rollup smallint not null references app.cohort_rollups,
  market text collate "C" not null,
  symbol text collate "C" not null,
  venue text collate "C" not null,
  asset_class text collate "C" not null,
  quote_currency text collate "C" not null,
  cohort_key text collate "C" not null,
  direction text collate "C" not null,
  analysis_class text collate "C" not null,
  horizon_kind text collate "C" not null,
  horizon_value int not null,
  since timestamptz not null,
  perspective_type text collate "C" not null,
  result_bucket text collate "C" not null,
  submission_origin text collate "C" not null,
  n bigint not null check (n > 0),
  earliest timestamptz not null,
  latest timestamptz not null,
  owners uuid[] not null check (cardinality(owners) between 1 and 32),
  primary key (rollup, market, symbol, venue, asset_class, quote_currency, cohort_key, direction, analysis_class,
    horizon_kind, horizon_value, since, perspective_type, result_bucket, submission_origin)
) with (fillfactor = 85);
comment on table app.cohort_cells is 'Counts of public records that have left the tail. A column that the rollup does not keep is empty (-1, -infinity).';
comment on column app.cohort_cells.earliest is 'Of data_cutoff, as is latest.';
comment on column app.cohort_cells.owners is 'The first 32 of them, ascending. No more than whether there are enough is ever told.';

create table app.cohort_tail (
  record_id text primary key,
  owner_id uuid not null,
  market text not null,
  symbol text not null,
  venue text not null,
  asset_class text not null,
  quote_currency text not null,
  cohort_key text not null,
  direction text not null,
  analysis_class text not null,
  horizon_kind text not null,
  horizon_value int not null,
  perspective_type text not null,
  result_bucket text not null,
  submission_origin text not null,
  data_cutoff timestamptz(3) not null,
  evaluated_at timestamptz(3) not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
comment on table app.cohort_tail is 'Public records that the cells do not count yet.';
`;
