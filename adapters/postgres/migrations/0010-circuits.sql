-- The monitor of the circuits, and its observations.

-- The actor is always known, and what a cause needs is there.
alter table app.circuit_snapshots
  alter column actor set not null,
  add check (from_state in ('normal', 'warming', 'tripped')),
  add check (cause in ('trip', 'resolve', 'auto_trip', 'relapse', 'recovery')),
  add check (case cause
    when 'resolve' then from_state = 'warming' and state = 'normal' and reason is null and justification is not null
      and coalesce(cardinality(evidence_urls), 0) > 0
    when 'recovery' then from_state = 'tripped' and state = 'warming' and reason is not null
    else state = 'tripped' and reason is not null end);

-- Whoever changes a circuit locks its row here first.
create table app.circuit_monitors (
  coin text primary key check (coin in ('USDT', 'USDC')),
  looked_at timestamptz(3),
  below_since timestamptz(3),
  above_since timestamptz(3),
  trip_since timestamptz(3),
  at_once int not null default 0 check (at_once >= 0)
);
comment on table app.circuit_monitors is 'One row for each coin: the lock of its circuit, and the runs of its observations.';
insert into app.circuit_monitors (coin) values ('USDT'), ('USDC');

create table app.peg_observations (
  seq bigint generated always as identity primary key,
  coin text not null references app.circuit_monitors,
  price float8 not null check (price > 0),
  drift_bps float8 not null check (drift_bps >= 0),
  sources jsonb not null,
  observed_at timestamptz(3) not null
);
comment on column app.peg_observations.sources is 'What the median is of: source, price, at.';
create index on app.peg_observations (coin, seq desc);
create index on app.peg_observations (coin, observed_at);

-- The service cannot choose a snapshot's place.
do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('revoke insert on app.circuit_snapshots from %I', service);
  execute format('grant insert (id, coin, from_state, state, cause, actor, reason, justification, evidence_urls, at)
    on app.circuit_snapshots to %I', service);
  execute format('grant select, update on app.circuit_monitors to %I', service);
  execute format('grant select, insert, delete on app.peg_observations to %I', service);
end $$;
