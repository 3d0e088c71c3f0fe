-- The security events of accounts; functions/security-events.sql guards them. No foreign key: they stay when their owner
-- is deleted.

create table app.security_events (
  seq bigint generated always as identity primary key,
  counted_from timestamptz(3) not null,
  at timestamptz(3) not null,
  last_at timestamptz(3) not null,
  count integer not null check (count > 0),
  kind text not null check (kind ~ '^[a-z_]{1,40}$'),
  result text not null check (result in ('success', 'failure')),
  owner_id uuid,
  actor text check (length(actor) <= 200),
  subject text check (length(subject) <= 200),
  request_id text check (length(request_id) <= 128),
  network text check (length(network) <= 64),
  client text not null check (client ~ '^[a-z_]{1,40}$'),
  constraint security_events_once unique nulls not distinct
    (counted_from, kind, result, owner_id, actor, subject, network, client)
);
comment on column app.security_events.counted_from is
  'The minute whose equal events the row counts; the UTC day for what is beyond the rows of a day.';
comment on column app.security_events.network is 'A keyed hash of the /24 or /64 of the caller.';
create index on app.security_events (owner_id, at, seq);
create index on app.security_events (at, seq);

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert, delete on app.security_events to %I', service);
  execute format('grant update (count, last_at) on app.security_events to %I', service);
end $$;
