-- What each direction would have got (docs/cohorts.md): the range of the move of a record, and the counts of each cell by
-- it. Records that an earlier release graded have none until the sweep fold-cohorts has read their outcome.

alter table app.decisions add column move smallint;
comment on column app.decisions.move is 'moveRange of domain/grading/had-said.ts; null without an outcome, and until the sweep has read an older one.';
alter table app.cohort_tail add column move smallint;
alter table app.cohort_cells add column moves bigint[] not null default '{0,0,0,0,0,0,0,0,0,0,0}'
  constraint cohort_cells_moves_check check (cardinality(moves) = 11);
comment on column app.cohort_cells.moves is 'Records by the range of their move. The sum is less than n until all of them have one.';

create index decisions_without_move on app.decisions (record_id) where raw_return is not null and move is null;

-- The indexes that count the ends of periods, with the range as well. The new ones are built before the old ones go, so
-- that readers never wait for a build.
create index public_by_calls_2 on app.decisions (market, analysis_class, direction, data_cutoff, record_id, perspective_type, horizon_kind, horizon_value, venue, asset_class, quote_currency, result_bucket, submission_origin, evaluated_at, owner_id, move)
  where lifecycle_state = 'evaluated';
create index public_by_cohort_key_2 on app.decisions (cohort_key, data_cutoff, record_id, market, venue, quote_currency, perspective_type, horizon_kind, horizon_value, result_bucket, submission_origin, evaluated_at, owner_id, move)
  where lifecycle_state = 'evaluated';
create index public_by_horizon_2 on app.decisions (market, horizon_value, data_cutoff, record_id, horizon_kind, analysis_class, direction, perspective_type, venue, asset_class, quote_currency, result_bucket, submission_origin, evaluated_at, owner_id, move)
  where lifecycle_state = 'evaluated';
create index public_by_instrument_2 on app.decisions (instrument, data_cutoff, record_id, analysis_class, direction, perspective_type, horizon_kind, horizon_value, result_bucket, submission_origin, evaluated_at, owner_id, move)
  where lifecycle_state = 'evaluated';
create index public_by_market_2 on app.decisions (market, data_cutoff, record_id, analysis_class, direction, perspective_type, horizon_kind, horizon_value, venue, asset_class, quote_currency, symbol, result_bucket, submission_origin, evaluated_at, owner_id, move)
  where lifecycle_state = 'evaluated';
create index public_by_symbol_2 on app.decisions (market, symbol, data_cutoff, record_id, venue, asset_class, quote_currency, analysis_class, direction, perspective_type, horizon_kind, horizon_value, result_bucket, submission_origin, evaluated_at, owner_id, move)
  where lifecycle_state = 'evaluated';
create index public_by_venue_2 on app.decisions (market, venue, data_cutoff, record_id, asset_class, quote_currency, analysis_class, direction, perspective_type, horizon_kind, horizon_value, result_bucket, submission_origin, evaluated_at, owner_id, move)
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
  execute format('grant update (move) on app.decisions to %I', service);
end $$;
