-- Webhooks of owners, and what is sent to them.

create table app.webhooks (
  webhook_id uuid primary key,
  owner_id uuid not null references app.owners (owner_id) on delete cascade,
  url text not null check (length(url) between 1 and 2048),
  event_types text[] check (cardinality(event_types) > 0),
  description text not null check (length(description) <= 200),
  status text not null default 'active' check (status in ('active', 'disabled', 'gone', 'paused')),
  failures integer not null default 0 check (failures >= 0),
  failing_since timestamptz(3),
  waits_until timestamptz(3),
  secret bytea not null,
  former_secret bytea,
  former_until timestamptz(3),
  history text not null,
  position bigint not null,
  seq bigint not null,
  created_at timestamptz(3) not null default app.now(),
  check ((former_secret is null) = (former_until is null))
);
comment on column app.webhooks.event_types is 'Null: all, also those of later releases.';
comment on column app.webhooks.secret is 'Sealed under a key that derives from SESSION_SECRET.';
comment on column app.webhooks.former_secret is 'Also signs before former_until.';
comment on column app.webhooks.position is
  'With history and seq: the place in the feed up to which events are deliveries (EventStore of domain/events).';
create index webhooks_of_owner on app.webhooks (owner_id);

create table app.webhook_deliveries (
  seq bigint generated always as identity primary key,
  delivery_id uuid not null default gen_random_uuid() unique,
  webhook_id uuid not null references app.webhooks (webhook_id) on delete cascade,
  event_id uuid not null,
  type text not null,
  at timestamptz(3) not null,
  data jsonb not null,
  subject text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  step integer not null default 0 check (step >= 0),
  due_at timestamptz(3) default app.now(),
  token uuid,
  attempts jsonb not null default '[]',
  created_at timestamptz(3) not null default app.now(),
  unique (webhook_id, event_id),
  check ((status = 'pending') = (due_at is not null)),
  check (token is null or status = 'pending')
);
comment on column app.webhook_deliveries.subject is
  'What the event is about: an earlier pending row of the same webhook and subject is sent first.';
comment on column app.webhook_deliveries.token is 'Of the process that sends it, until due_at.';
create index webhook_deliveries_of_webhook on app.webhook_deliveries (webhook_id, seq);
create index webhook_deliveries_due on app.webhook_deliveries (webhook_id, due_at) where status = 'pending';
create index webhook_deliveries_of_subject on app.webhook_deliveries (webhook_id, subject, seq) where status = 'pending';

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert, delete on app.webhooks, app.webhook_deliveries to %I', service);
  execute format('grant update (url, event_types, description, status, failures, failing_since, waits_until, secret,
    former_secret, former_until, history, position, seq) on app.webhooks to %I', service);
  execute format('grant update (status, step, due_at, token, attempts) on app.webhook_deliveries to %I', service);
end $$;
