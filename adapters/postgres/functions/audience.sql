-- Who may read a record: everybody reads a public one (settled.md section 5), its owner every state of it. Simple SQL
-- functions, so that the planner replaces a call by its condition, and finds the partial indexes on public records.

create or replace function app.is_public(lifecycle_state text) returns boolean immutable language sql
  return lifecycle_state = 'evaluated';
comment on function app.is_public is 'isPublic of domain/decisions/visibility.ts.';

create or replace view app.public_decisions as
select * from app.decisions where app.is_public(lifecycle_state);
comment on view app.public_decisions is 'The rows of app.decisions that everybody may read.';

create or replace function app.may_read(reader uuid, owner_id uuid, lifecycle_state text) returns boolean
immutable language sql
  return owner_id = reader or app.is_public(lifecycle_state);
comment on function app.may_read is 'mayRead of domain/decisions/visibility.ts: whether a record exists for the reader, who may be nobody (null).';

create or replace function app.was_public_at(received timestamptz, lifecycle_state text, evaluated_at timestamptz)
returns boolean immutable language sql
  return app.is_public(lifecycle_state) and evaluated_at < received;
comment on function app.was_public_at is 'isPublicTarget of domain/decisions/visibility.ts: public now, and before that time.';

create or replace function app.counted_as(submission_origin text, cohort_exception text) returns text
immutable language sql
  return case when cohort_exception in ('suspected_split', 'wrong_security') then null else case cohort_exception
    when 'carried_open' then case submission_origin when 'realtime' then 'carried_open' else submission_origin end
    else submission_origin end end;
comment on function app.counted_as is 'countedAs of domain/cohorts/counted-as.ts: the origin of a record in cohorts; null in none.';

create or replace function app.is_further(group_place smallint) returns boolean immutable language sql
  return coalesce(group_place > 1, false);
comment on function app.is_further is
  'isFurtherHorizon of domain/decisions/decision.ts: cohorts count the record only where a query pins its horizon.';

create or replace function app.is_further_origin(cell_origin text) returns boolean immutable language sql
  return starts_with(cell_origin, 'further_');
comment on function app.is_further_origin is 'The same of a row of the cells or the tail.';

create or replace function app.cell_origin(submission_origin text, cohort_exception text, group_place smallint) returns text
immutable language sql
  return case when app.is_further(group_place) then 'further_' else '' end
    || app.counted_as(submission_origin, cohort_exception);
comment on function app.cell_origin is
  'What cells and tail have as the origin of a record: as app.counted_as says, and apart for a further horizon; null in none.';

create or replace view app.cohort_decisions as
select * from app.decisions
where app.is_public(lifecycle_state) and cohort_exception is distinct from 'suspected_split'
  and cohort_exception is distinct from 'wrong_security';
comment on view app.cohort_decisions is 'The rows of app.decisions that cohorts count, as app.counted_as says.';

create or replace view app.public_records as
select record_id, owner_id, market, symbol, venue, asset_class, quote_currency, cohort_key, direction, analysis_class,
  horizon_kind, horizon_value, coalesce(perspective_type, '') as perspective_type, result_bucket,
  app.cell_origin(submission_origin, cohort_exception, group_place) as submission_origin, data_cutoff, evaluated_at, move, method,
  coalesce(grid, '') as grid
from app.cohort_decisions;
comment on view app.public_records is 'The columns of a public record that its cohorts count by, as the tail has them.';

-- Records that ended without an outcome.

create or replace function app.ungraded_reason(lifecycle_state text, last_error text) returns text immutable language sql
  return case lifecycle_state when 'rejected' then 'rejected'
    when 'data_unavailable' then coalesce(substring(last_error from '^([a-z_]+): '), 'unknown') end;
comment on function app.ungraded_reason is 'ungradedReason of domain/decisions/ungraded.ts.';

-- When a record was last made public, and by which transaction: pages of cohorts are as of one moment.

create or replace function app.note_listing() returns trigger language plpgsql as $$
begin
  new.listed_at := case when app.is_public(new.lifecycle_state) then app.now() end;
  new.listed_xid := case when app.is_public(new.lifecycle_state) then pg_current_xact_id() end;
  return new;
end $$;
create or replace trigger note_listing before update on app.decisions for each row
  when (app.is_public(old.lifecycle_state) <> app.is_public(new.lifecycle_state))
  execute function app.note_listing();
create or replace trigger note_first_listing before insert on app.decisions for each row
  when (app.is_public(new.lifecycle_state)) execute function app.note_listing();
