-- Cells by periods for horizons and venues, and by years, each rollup for the markets that are large enough for it, and the last grade
-- that a cell counts (docs/adr/0006-cohorts-are-cells-and-a-tail.md).

alter table app.cohort_rollups add column markets text[];
comment on column app.cohort_rollups.markets is 'The markets that it has cells of; null for all.';
-- In a new database, periods begin without cells. Nodes of an earlier release expect those that are there.
update app.cohort_rollups set markets = '{}' where period <> 'all' and not exists (select from app.decisions);

alter table app.cohort_rollups drop constraint cohort_rollups_period_check;
alter table app.cohort_rollups add constraint cohort_rollups_period_check
  check (period in ('all', 'year', 'month', 'day', 'six_hours'));

alter table app.cohort_rollups add column without_last_graded text[] not null default '{}';
comment on column app.cohort_rollups.without_last_graded is 'Markets with cells of an earlier release, which lack last_graded.';
update app.cohort_rollups set without_last_graded = '{stock,crypto}' where exists (select from app.decisions);

-- None of these grains has a rollup over all of time, without which nodes of an earlier release do not see them.
insert into app.cohort_rollups (rollup, grain, period, clock, finer, symbol, venue, asset_class, quote_currency,
  cohort_key, direction, analysis_class, horizon_kind, horizon_value, markets)
select rollup, grain, period, clock, finer, false, 'venue' = any(c), 'venue' = any(c), 'venue' = any(c), false,
  'direction' = any(c), 'direction' = any(c), 'horizon' = any(c), 'horizon' = any(c), '{}'
from (values
  (-1, 'market_years', 'year', 'data_cutoff', 2, ''),
  (-2, 'market_years', 'year', 'evaluated_at', 4, ''),
  (-3, 'call_years', 'year', 'data_cutoff', 7, 'direction'),
  (-4, 'call_years', 'year', 'evaluated_at', 9, 'direction'),
  (-5, 'venue_years', 'year', 'data_cutoff', 14, 'venue'),
  (-6, 'venue_years', 'year', 'evaluated_at', 15, 'venue'),
  (-7, 'horizon_periods', 'year', 'data_cutoff', 30, 'horizon'),
  (-8, 'horizon_periods', 'year', 'evaluated_at', 32, 'horizon'),
  (-9, 'venue_call_periods', 'year', 'data_cutoff', 35, 'venue direction'),
  (-10, 'venue_horizon_periods', 'year', 'data_cutoff', 36, 'venue horizon'),
  (30, 'horizon_periods', 'month', 'data_cutoff', 31, 'horizon'),
  (31, 'horizon_periods', 'day', 'data_cutoff', null, 'horizon'),
  (32, 'horizon_periods', 'month', 'evaluated_at', 33, 'horizon'),
  (33, 'horizon_periods', 'day', 'evaluated_at', null, 'horizon'),
  (34, 'venue_periods', 'day', 'data_cutoff', null, 'venue'),
  (35, 'venue_call_periods', 'month', 'data_cutoff', null, 'venue direction'),
  (36, 'venue_horizon_periods', 'month', 'data_cutoff', null, 'venue horizon')
) as listed(rollup, grain, period, clock, finer, columns), string_to_array(columns, ' ') as c;

alter table app.cohort_cells add column last_graded timestamptz;
comment on column app.cohort_cells.last_graded is 'The last evaluated_at; null where a cell of an earlier release does not have it.';

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant update (markets, without_last_graded) on app.cohort_rollups to %I', service);
  execute format('grant update (last_graded) on app.cohort_cells to %I', service);
end $$;
