-- What is kept for ever has a daily limit, in rows and bytes, for each owner and each network (docs/limits.md). Changes no row.

create table app.kept_days (
  subject bytea not null check (length(subject) = 32),
  kind text not null check (length(kind) between 1 and 40),
  day date not null,
  kept int not null check (kept >= 0),
  bytes bigint not null check (bytes >= 0),
  most int not null,
  most_bytes bigint not null,
  primary key (subject, kind, day),
  check (kept <= most and bytes <= most_bytes)
) with (fillfactor = 70);
comment on table app.kept_days is 'What was kept for ever on a UTC day, by kind; app.keep counts it in the transaction that writes it.';
comment on column app.kept_days.subject is 'SHA-256 of an owner, or of the keyed hash of a network.';
comment on column app.kept_days.most is 'The limit when something was last kept.';

alter table app.submit_hours add column bytes bigint not null default 0 check (bytes >= 0);
comment on column app.submit_hours.bytes is 'Of the bodies of these submissions.';

alter type app.submission add attribute submit_bytes_per_hour bigint, add attribute network text,
  add attribute agent_hours_per_network int;

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert, delete, update (kept, bytes, most, most_bytes) on app.kept_days to %I', service);
  execute format('grant update (bytes) on app.submit_hours to %I', service);
end $$;
