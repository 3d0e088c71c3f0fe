-- Records that ended without an outcome.

create or replace function app.ungraded_reason(lifecycle_state text, last_error text) returns text immutable language sql
  return case lifecycle_state when 'rejected' then 'rejected'
    when 'data_unavailable' then coalesce(substring(last_error from '^([a-z_]+): '), 'unknown') end;
comment on function app.ungraded_reason is 'ungradedReason of domain/decisions/ungraded.ts.';
