/** What cohorts are counted from (docs/adr/0005-cohorts-are-cells-and-a-tail.md). */
export const COHORT_TABLES = `
create table app.cohort_rollups (
  rollup smallint primary key,
  grain text not null,
  period text not null check (period in ('all', 'month', 'day')),
  clock text not null check (clock in ('data_cutoff', 'evaluated_at')),
  finer smallint references app.cohort_rollups deferrable initially deferred,
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
comment on column app.cohort_rollups.finer is 'The rollup of the same grain by shorter periods, which its cells add up from.';
with grains as (
  select place, grain, string_to_array(columns, ' ') as c, string_to_array(periods, ' ') as periods
  from (values
    (1, 'market', '', 'all month day evaluated_month evaluated_day'),
    (2, 'calls', 'direction analysis_class', 'all month day evaluated_month evaluated_day'),
    (3, 'horizons', 'direction analysis_class horizon_kind horizon_value', 'all month'),
    (4, 'venues', 'venue asset_class quote_currency', 'all month evaluated_month evaluated_day'),
    (5, 'venue_calls', 'venue asset_class quote_currency direction analysis_class', 'all'),
    (6, 'venue_horizons', 'venue asset_class quote_currency horizon_kind horizon_value', 'all'),
    (7, 'venue_call_horizons',
      'venue asset_class quote_currency direction analysis_class horizon_kind horizon_value', 'all'),
    (8, 'symbols', 'symbol', 'all month evaluated_month'),
    (9, 'symbol_horizons', 'symbol horizon_kind horizon_value', 'all'),
    (10, 'instruments', 'symbol venue asset_class quote_currency', 'all'),
    (11, 'instrument_calls', 'symbol venue asset_class quote_currency direction analysis_class', 'all'),
    (12, 'cohort_keys', 'cohort_key symbol asset_class direction analysis_class', 'all')
  ) as listed(place, grain, columns, periods)
), numbered as (
  select row_number() over (order by place, nth) as rollup, grain, c, nth, periods,
    split_part(period, '_', -1) as period,
    case when period like 'evaluated%' then 'evaluated_at' else 'data_cutoff' end as clock
  from grains, unnest(periods) with ordinality as p(period, nth)
)
insert into app.cohort_rollups
select rollup, grain, period, clock,
  case when (period = 'all' and periods[2] = 'month') or (period = 'month' and periods[nth + 1] like '%day')
    then rollup + 1 end,
  'symbol' = any(c), 'venue' = any(c), 'asset_class' = any(c), 'quote_currency' = any(c), 'cohort_key' = any(c),
  'direction' = any(c), 'analysis_class' = any(c), 'horizon_kind' = any(c), 'horizon_value' = any(c)
from numbered order by rollup;

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
);
comment on table app.cohort_cells is 'Counts of public records that have left the tail. A column that the rollup does not keep is empty (-1, -infinity).';
comment on column app.cohort_cells.earliest is 'Of data_cutoff, as is latest.';
comment on column app.cohort_cells.owners is 'Distinct ones; of more than 32 any 32. No more than whether there are enough is ever told.';

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
