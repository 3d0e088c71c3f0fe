-- What happened to the decisions, quotas and circuits that owners hear of; functions/events.sql writes it. No foreign key: the
-- rows of an owner who is deleted go with their age.

create table app.events (
  seq bigint generated always as identity primary key,
  position bigint not null,
  id uuid not null default gen_random_uuid(),
  at timestamptz(3) not null default app.now(),
  type text not null check (type ~ '^[a-z_]{1,20}\.[a-z_]{1,20}$'),
  owner_id uuid,
  agent_id text,
  data jsonb not null
);
comment on column app.events.position is
  'Not before the transaction that wrote the row, and after each that had committed by then; see app.event_position.';
comment on column app.events.owner_id is 'Null for what concerns everybody.';
create index events_of_owner on app.events (owner_id, position, seq);

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert, delete on app.events to %I', service);
end $$;
