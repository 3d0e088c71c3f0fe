-- The heads of the audit log that have a leaf in the evidence log, with what opens the leaf (docs/log.md).

create table app.log_heads (
  log int not null references app.logs,
  index bigint not null,
  day date not null,
  seq bigint not null,
  seal text not null,
  salt bytea not null,
  primary key (log, index),
  unique (log, day)
);
comment on table app.log_heads is 'The head of the audit log at the first batch of a day, and the index of its leaf.';

call app.keep_for_ever('app.log_heads');

do $$
begin
  execute format('grant select, insert on app.log_heads to %I', current_setting('stancebook.service_role'));
end $$;
