-- The state of a source in the words that operators read, and the text of its last error.

alter table app.source_health drop constraint source_health_state_check;
alter table app.source_health add constraint source_health_state_check
  check (state in ('healthy', 'failing', 'paused', 'never asked', 'closed', 'half_open', 'open'));
comment on column app.source_health.state is 'closed, half_open and open are written by nodes of the release before.';

alter table app.source_health add column last_error text;
comment on column app.source_health.last_error is 'What the last failed request brought, such as "answered 503".';
