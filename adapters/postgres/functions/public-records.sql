-- Public records: what everybody may read.

create or replace view app.public_records as
select record_id, owner_id, market, symbol, venue, asset_class, quote_currency, cohort_key, direction, analysis_class,
  horizon_kind, horizon_value, coalesce(perspective_type, '') as perspective_type, result_bucket, submission_origin,
  data_cutoff, evaluated_at
from app.decisions where lifecycle_state = 'evaluated';
comment on view app.public_records is 'What of a record its cohorts know, as the tail holds it.';
