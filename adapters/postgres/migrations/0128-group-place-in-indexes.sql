-- Online: cohorts that count from the records read from the index whether each is a further horizon of a group.

drop index concurrently if exists app.public_by_cohort_key_0128;
create index concurrently public_by_cohort_key_0128 on app.decisions (cohort_key, data_cutoff, record_id, market,
  venue, quote_currency, perspective_type, horizon_kind, horizon_value, result_bucket, submission_origin,
  evaluated_at, owner_id, move, method, grid, cohort_exception, group_place) where lifecycle_state = 'evaluated';
drop index concurrently if exists app.public_by_cohort_key;
alter index app.public_by_cohort_key_0128 rename to public_by_cohort_key;

drop index concurrently if exists app.public_by_horizon_0128;
create index concurrently public_by_horizon_0128 on app.decisions (market, horizon_value, data_cutoff, record_id,
  horizon_kind, analysis_class, direction, perspective_type, venue, asset_class, quote_currency, result_bucket,
  submission_origin, evaluated_at, owner_id, move, method, grid, cohort_exception, group_place) where
  lifecycle_state = 'evaluated';
drop index concurrently if exists app.public_by_horizon;
alter index app.public_by_horizon_0128 rename to public_by_horizon;

drop index concurrently if exists app.public_by_instrument_0128;
create index concurrently public_by_instrument_0128 on app.decisions (instrument, data_cutoff, record_id,
  analysis_class, direction, perspective_type, horizon_kind, horizon_value, result_bucket, submission_origin,
  evaluated_at, owner_id, move, method, grid, cohort_exception, group_place) where lifecycle_state = 'evaluated';
drop index concurrently if exists app.public_by_instrument;
alter index app.public_by_instrument_0128 rename to public_by_instrument;

drop index concurrently if exists app.public_by_market_0128;
create index concurrently public_by_market_0128 on app.decisions (market, data_cutoff, record_id, analysis_class,
  direction, perspective_type, horizon_kind, horizon_value, venue, asset_class, quote_currency, symbol,
  result_bucket, submission_origin, evaluated_at, owner_id, move, method, grid, cohort_exception, group_place) where
  lifecycle_state = 'evaluated';
drop index concurrently if exists app.public_by_market;
alter index app.public_by_market_0128 rename to public_by_market;

drop index concurrently if exists app.public_by_symbol_0128;
create index concurrently public_by_symbol_0128 on app.decisions (market, symbol, data_cutoff, record_id, venue,
  asset_class, quote_currency, analysis_class, direction, perspective_type, horizon_kind, horizon_value,
  result_bucket, submission_origin, evaluated_at, owner_id, move, method, grid, cohort_exception, group_place) where
  lifecycle_state = 'evaluated';
drop index concurrently if exists app.public_by_symbol;
alter index app.public_by_symbol_0128 rename to public_by_symbol;

drop index concurrently if exists app.public_by_venue_0128;
create index concurrently public_by_venue_0128 on app.decisions (market, venue, data_cutoff, record_id, asset_class,
  quote_currency, analysis_class, direction, perspective_type, horizon_kind, horizon_value, result_bucket,
  submission_origin, evaluated_at, owner_id, move, method, grid, cohort_exception, group_place) where
  lifecycle_state = 'evaluated';
drop index concurrently if exists app.public_by_venue;
alter index app.public_by_venue_0128 rename to public_by_venue;
