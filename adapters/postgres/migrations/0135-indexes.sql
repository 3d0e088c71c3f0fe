-- Online: the indexes of the columns and tables since 0.5.0.

-- Finds the suspected outcomes of an instrument, which no cohort counts, as ungraded_by_symbol finds the ungraded.
drop index concurrently if exists app.suspected_by_symbol;
create index concurrently suspected_by_symbol on app.decisions (market, symbol)
  where lifecycle_state = 'evaluated' and cohort_exception = 'suspected_split';

-- Finds the outcomes of an entry bundle by the index of their leaves, as log_decisions_log_index_key finds decisions.
drop index concurrently if exists app.log_outcomes_place;
create index concurrently log_outcomes_place on app.log_outcomes (log, index);

-- Finds the members of a group and the further horizons of an agent, and a group has one credit. Checks what members have.
drop index concurrently if exists app.decision_groups;
create unique index concurrently decision_groups on app.decisions (group_id, group_place) where group_id is not null;
drop index concurrently if exists app.further_horizons;
create index concurrently further_horizons on app.decisions (agent_id, submission_origin) where group_place > 1;
drop index concurrently if exists app.credit_of_group;
create unique index concurrently credit_of_group on app.credit_ledger (group_id) where group_id is not null;
alter table app.decisions validate constraint group_members;

-- Finds the outcomes of an instrument by the prices of another security, which no cohort counts.
drop index concurrently if exists app.wrong_by_symbol;
create index concurrently wrong_by_symbol on app.decisions (market, symbol)
  where lifecycle_state = 'evaluated' and cohort_exception = 'wrong_security';

-- Cohorts that count from the records read from the index whether each is a further horizon of a group.
drop index concurrently if exists app.public_by_cohort_key_next;
create index concurrently public_by_cohort_key_next on app.decisions (cohort_key, data_cutoff, record_id, market,
  venue, quote_currency, perspective_type, horizon_kind, horizon_value, result_bucket, submission_origin,
  evaluated_at, owner_id, move, method, grid, cohort_exception, group_place) where lifecycle_state = 'evaluated';
drop index concurrently if exists app.public_by_cohort_key;
alter index app.public_by_cohort_key_next rename to public_by_cohort_key;

drop index concurrently if exists app.public_by_horizon_next;
create index concurrently public_by_horizon_next on app.decisions (market, horizon_value, data_cutoff, record_id,
  horizon_kind, analysis_class, direction, perspective_type, venue, asset_class, quote_currency, result_bucket,
  submission_origin, evaluated_at, owner_id, move, method, grid, cohort_exception, group_place) where
  lifecycle_state = 'evaluated';
drop index concurrently if exists app.public_by_horizon;
alter index app.public_by_horizon_next rename to public_by_horizon;

drop index concurrently if exists app.public_by_instrument_next;
create index concurrently public_by_instrument_next on app.decisions (instrument, data_cutoff, record_id,
  analysis_class, direction, perspective_type, horizon_kind, horizon_value, result_bucket, submission_origin,
  evaluated_at, owner_id, move, method, grid, cohort_exception, group_place) where lifecycle_state = 'evaluated';
drop index concurrently if exists app.public_by_instrument;
alter index app.public_by_instrument_next rename to public_by_instrument;

drop index concurrently if exists app.public_by_market_next;
create index concurrently public_by_market_next on app.decisions (market, data_cutoff, record_id, analysis_class,
  direction, perspective_type, horizon_kind, horizon_value, venue, asset_class, quote_currency, symbol,
  result_bucket, submission_origin, evaluated_at, owner_id, move, method, grid, cohort_exception, group_place) where
  lifecycle_state = 'evaluated';
drop index concurrently if exists app.public_by_market;
alter index app.public_by_market_next rename to public_by_market;

drop index concurrently if exists app.public_by_symbol_next;
create index concurrently public_by_symbol_next on app.decisions (market, symbol, data_cutoff, record_id, venue,
  asset_class, quote_currency, analysis_class, direction, perspective_type, horizon_kind, horizon_value,
  result_bucket, submission_origin, evaluated_at, owner_id, move, method, grid, cohort_exception, group_place) where
  lifecycle_state = 'evaluated';
drop index concurrently if exists app.public_by_symbol;
alter index app.public_by_symbol_next rename to public_by_symbol;

drop index concurrently if exists app.public_by_venue_next;
create index concurrently public_by_venue_next on app.decisions (market, venue, data_cutoff, record_id, asset_class,
  quote_currency, analysis_class, direction, perspective_type, horizon_kind, horizon_value, result_bucket,
  submission_origin, evaluated_at, owner_id, move, method, grid, cohort_exception, group_place) where
  lifecycle_state = 'evaluated';
drop index concurrently if exists app.public_by_venue;
alter index app.public_by_venue_next rename to public_by_venue;

-- Finds the newest records of an agent that count under a security, for its recall (docs/recall.md).
drop index concurrently if exists app.decisions_of_security;
create index concurrently decisions_of_security on app.decisions (agent_id, market, symbol, submission_time desc);
