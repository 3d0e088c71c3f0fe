-- The events of the feed (docs/events.md), written with each change, also by statements by hand. What `data` shows of a decision
-- is in columns, which cost less to write (adapters/postgres/events/event-store.ts reads them).

-- A change that had to wait for another one of the same row has a later position, whichever transaction began first: the
-- snapshot of this statement is taken after the wait, and knows the greatest id of a transaction that has ended. No position is
-- less than the id of its own transaction.
create or replace function app.event_position() returns bigint language sql volatile as $$
  select greatest(pg_current_xact_id()::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)
$$;
comment on function app.event_position is
  'The order of events is that of (position, seq); those before pg_snapshot_xmin of a snapshot are complete in it.';

-- EVENT_OF_MOVE of domain/events/event.ts. Those of a grade are written with its outcome.
create or replace function app.event_of(before text, after text, attempted boolean) returns text immutable language sql
  return case
    when before = after then null
    when before = 'quarantined' then 'decision.released'
    when after = 'verified' then case when before = 'pending_verify' then 'decision.verified' end
    when after = 'deferred' then case when attempted then 'decision.deferred' end
    when after in ('pending_verify', 'evaluating', 'evaluated') then null
    else 'decision.' || after
  end;

create or replace function app.note_move() returns trigger language plpgsql as $$
begin
  insert into app.events (position, type, owner_id, agent_id, record_id, state, result_bucket)
    select app.event_position(), app.event_of(old.lifecycle_state, new.lifecycle_state, new.attempts > old.attempts),
      new.owner_id, new.agent_id, new.record_id, new.lifecycle_state,
      case when app.is_public(new.lifecycle_state) then new.result_bucket end;
  return null;
end $$;
create or replace trigger note_move after update on app.decisions for each row
  when (old.lifecycle_state <> new.lifecycle_state
    and app.event_of(old.lifecycle_state, new.lifecycle_state, new.attempts > old.attempts) is not null)
  execute function app.note_move();

-- For each statement, which takes less CPU than for each row: the outcomes of a batch are inserted together, and no grade is
-- without an outcome (require_outcome). Position and time are read once. A credit of the same statement has no row of its own.
create or replace function app.note_grades() returns trigger language plpgsql as $$
begin
  insert into app.events (position, at, type, owner_id, agent_id, record_id, state, result_bucket)
    select (select app.event_position()), (select app.now()), 'decision.evaluated', d.owner_id, d.agent_id, a.record_id,
      'evaluated', a.result_bucket
    from added a
      cross join lateral (select d.owner_id, d.agent_id from app.decisions d where d.record_id = a.record_id offset 0) d;
  return null;
end $$;
create or replace trigger note_grades after insert on app.decision_outcomes referencing new table as added
  for each statement execute function app.note_grades();

-- Credits that did not come with the statement of their grade: by hand, and by nodes of other releases.
create or replace function app.note_credits() returns trigger language plpgsql as $$
begin
  insert into app.events (position, at, type, owner_id, agent_id, data)
    select (select app.event_position()), (select app.now()), 'quota.credited', a.owner_id, d.agent_id,
      jsonb_build_object('record_id', a.record_id, 'agent_id', d.agent_id, 'amount', a.amount, 'day', a.day)
    from added a
      cross join lateral (select d.agent_id from app.decisions d where d.record_id = a.record_id offset 0) d
    where not a.with_grade;
  return null;
end $$;
create or replace trigger note_credits after insert on app.credit_ledger referencing new table as added
  for each statement execute function app.note_credits();

-- A submission has no row: its record is read as an event (adapters/postgres/events/event-store.ts).
create or replace function app.submission_event(record_id text) returns uuid immutable language sql return (
  select overlay(overlay(substr(h, 1, 32) placing '8' from 13) placing '8' from 17)::uuid
  from encode(sha256(convert_to('decision.submitted ' || record_id, 'UTF8')), 'hex') h);
comment on function app.submission_event is 'A UUID of version 8 (RFC 9562 section 5.8): no row has it, however the record is read.';

create or replace function app.submission_seq(record_id text) returns bigint immutable language sql
  return substr(record_id, 5, 8)::bigint * 4294967296 + ('x' || lpad(substr(record_id, 14, 8), 16, '0'))::bit(64)::bigint
    - 4611686018427387904;
comment on function app.submission_seq is
  'Orders the submissions of one position. Negative, so that they come before the other events of it.';

create or replace function app.note_circuit() returns trigger language plpgsql as $$
begin
  insert into app.events (position, type, data)
    select app.event_position(), 'circuit.changed',
      jsonb_build_object('coin', new.coin, 'from', new.from_state, 'to', new.state);
  return null;
end $$;
create or replace trigger note_circuit after insert on app.circuit_snapshots for each row
  when (new.from_state <> new.state) execute function app.note_circuit();

alter table app.decisions enable always trigger note_move;
alter table app.decision_outcomes enable always trigger note_grades;
alter table app.credit_ledger enable always trigger note_credits;
alter table app.circuit_snapshots enable always trigger note_circuit;

-- The timeline of the log that this server writes (docs/scaling.md).

create or replace function app.own_timeline() returns bigint language sql volatile
  return ('x' || lpad(substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8), 16, '0'))::bit(64)::bigint;
