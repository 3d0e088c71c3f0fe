-- Cohorts by evaluation method and by the step of the price, and the outcomes that cohorts do not count as others of their
-- origin (docs/cohorts.md). Every outcome before this is by eval/1, which has neither.

alter table app.decisions add column grid text, add column cohort_exception text;
comment on column app.decisions.grid is 'fine or coarse: gridOf of domain/grading/grid.ts; null without an outcome that measures it.';
comment on column app.decisions.cohort_exception is 'cohortException of domain/grading/cohort-exception.ts; null for a record that cohorts count by its origin.';

alter table app.cohort_tail add column method text not null default 'eval/1', add column grid text not null default '';
alter table app.cohort_cells add column method text collate "C" not null default 'eval/1',
  add column grid text collate "C" not null default '';
comment on column app.cohort_cells.grid is 'Empty for records that have none.';
create unique index cohort_cells_by_part on app.cohort_cells (rollup, market, symbol, venue, asset_class, quote_currency,
  cohort_key, direction, analysis_class, horizon_kind, horizon_value, since, perspective_type, result_bucket,
  submission_origin, method, grid);
alter table app.cohort_cells drop constraint cohort_cells_pkey;
alter table app.cohort_cells add constraint cohort_cells_pkey primary key using index cohort_cells_by_part;

-- The indexes that count the ends of periods, with what cohorts count by since the last release. The new ones are built
-- before the old ones go, so that readers never wait for a build.
create index public_by_calls_2 on app.decisions (market, analysis_class, direction, data_cutoff, record_id, perspective_type, horizon_kind, horizon_value, venue, asset_class, quote_currency, result_bucket, submission_origin, evaluated_at, owner_id, move, method, grid, cohort_exception)
  where lifecycle_state = 'evaluated';
create index public_by_cohort_key_2 on app.decisions (cohort_key, data_cutoff, record_id, market, venue, quote_currency, perspective_type, horizon_kind, horizon_value, result_bucket, submission_origin, evaluated_at, owner_id, move, method, grid, cohort_exception)
  where lifecycle_state = 'evaluated';
create index public_by_horizon_2 on app.decisions (market, horizon_value, data_cutoff, record_id, horizon_kind, analysis_class, direction, perspective_type, venue, asset_class, quote_currency, result_bucket, submission_origin, evaluated_at, owner_id, move, method, grid, cohort_exception)
  where lifecycle_state = 'evaluated';
create index public_by_instrument_2 on app.decisions (instrument, data_cutoff, record_id, analysis_class, direction, perspective_type, horizon_kind, horizon_value, result_bucket, submission_origin, evaluated_at, owner_id, move, method, grid, cohort_exception)
  where lifecycle_state = 'evaluated';
create index public_by_market_2 on app.decisions (market, data_cutoff, record_id, analysis_class, direction, perspective_type, horizon_kind, horizon_value, venue, asset_class, quote_currency, symbol, result_bucket, submission_origin, evaluated_at, owner_id, move, method, grid, cohort_exception)
  where lifecycle_state = 'evaluated';
create index public_by_symbol_2 on app.decisions (market, symbol, data_cutoff, record_id, venue, asset_class, quote_currency, analysis_class, direction, perspective_type, horizon_kind, horizon_value, result_bucket, submission_origin, evaluated_at, owner_id, move, method, grid, cohort_exception)
  where lifecycle_state = 'evaluated';
create index public_by_venue_2 on app.decisions (market, venue, data_cutoff, record_id, asset_class, quote_currency, analysis_class, direction, perspective_type, horizon_kind, horizon_value, result_bucket, submission_origin, evaluated_at, owner_id, move, method, grid, cohort_exception)
  where lifecycle_state = 'evaluated';

drop index app.public_by_calls, app.public_by_cohort_key, app.public_by_horizon, app.public_by_instrument, app.public_by_market, app.public_by_symbol, app.public_by_venue;
alter index app.public_by_calls_2 rename to public_by_calls;
alter index app.public_by_cohort_key_2 rename to public_by_cohort_key;
alter index app.public_by_horizon_2 rename to public_by_horizon;
alter index app.public_by_instrument_2 rename to public_by_instrument;
alter index app.public_by_market_2 rename to public_by_market;
alter index app.public_by_symbol_2 rename to public_by_symbol;
alter index app.public_by_venue_2 rename to public_by_venue;

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant update (grid, cohort_exception) on app.decisions to %I', service);
end $$;
