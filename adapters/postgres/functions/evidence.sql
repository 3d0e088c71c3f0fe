-- Evidence: rows that no role can change or remove (docs/adr/0004-evidence-is-out-of-reach.md).

create or replace function app.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% on % is refused: %', tg_op, tg_table_name, coalesce(tg_argv[0], 'its rows are evidence')
    using errcode = '42501';
end $$;

-- Rows of the table can be added and read, and no role can change or remove them again. Migrations call it.
create or replace procedure app.keep_for_ever(evidence regclass) language plpgsql as $$
begin
  execute format('create or replace trigger evidence before update or delete on %s for each row
    execute function app.refuse_change()', evidence);
  execute format('create or replace trigger evidence_whole before truncate on %s
    execute function app.refuse_change()', evidence);
  execute format('alter table %s enable always trigger evidence, enable always trigger evidence_whole', evidence);
end $$;

-- Questions that were stated before their answers: evidence, of which an erasure leaves the digests.

create or replace function app.guard_plan() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.salt is not null and num_nulls(new.salt, new.statement, new.question, new.content) = 4
    and (new.plan_id, new.owner_id, new.agent_id, new.stated_at, new.commitment, new.producer)
      = (old.plan_id, old.owner_id, old.agent_id, old.stated_at, old.commitment, old.producer)
    and app.is_erased(old.owner_id) then
    return new;
  end if;
  raise exception '% on % is refused: its rows are evidence', tg_op, tg_table_name using errcode = '42501';
end $$;
create or replace trigger evidence before update or delete on app.plans for each row execute function app.guard_plan();
create or replace trigger evidence_whole before truncate on app.plans execute function app.refuse_change();
create or replace trigger keep_salt before insert on app.plans for each row when (new.salt is null)
  execute function app.refuse_change('a plan is received with its salt');

-- Also for statements by hand, so that no plan is left out of the log.
create or replace function app.log_plan() returns trigger language plpgsql as $$
begin
  insert into app.log_pending_plans (plan_id, ready_at) select a.plan_id, app.now() from added a;
  return null;
end $$;
create or replace trigger log_plan after insert on app.plans referencing new table as added
  for each statement execute function app.log_plan();
alter table app.plans enable always trigger evidence, enable always trigger evidence_whole,
  enable always trigger keep_salt, enable always trigger log_plan;

-- What agents write about their records after the outcome. A note is added or emptied, and never changed otherwise; those of
-- an owner whose account is gone are removed (erasure.sql).

create or replace function app.guard_note() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and app.is_erased(old.owner_id) then
    return old;
  end if;
  if tg_op = 'UPDATE' and new.text is null and (new.record_id, new.number, new.owner_id, new.agent_id, new.written_at)
      = (old.record_id, old.number, old.owner_id, old.agent_id, old.written_at) then
    return new;
  end if;
  raise exception '% on % is refused: a note is emptied, and its number and time stay', tg_op, tg_table_name
    using errcode = '42501';
end $$;
create or replace trigger guard before update or delete on app.decision_notes for each row
  execute function app.guard_note();
create or replace trigger guard_whole before truncate on app.decision_notes
  execute function app.refuse_change('it goes with its owner');

-- A second statement, unsealed, would be possible before the outcome is known.
create or replace function app.check_note() returns trigger language plpgsql as $$
begin
  if not exists (select from app.decisions d where d.record_id = new.record_id and d.owner_id = new.owner_id
      and d.agent_id = new.agent_id and app.is_public(d.lifecycle_state)) then
    raise exception 'INSERT on decision_notes is refused: % is no evaluated record of the agent', new.record_id
      using errcode = '42501';
  end if;
  return new;
end $$;
create or replace trigger check_note before insert on app.decision_notes for each row execute function app.check_note();

-- The owner's reply about the record shows its notes: see reply-texts.sql. The lock keeps replies from being stored meanwhile.
create or replace function app.drop_replies_of_note() returns trigger language plpgsql as $$
begin
  perform from app.decisions d where d.record_id = new.record_id for no key update;
  perform app.drop_replies_of(array[new.record_id]);
  return new;
end $$;
create or replace trigger drop_replies before insert or update on app.decision_notes for each row
  execute function app.drop_replies_of_note();
alter table app.decision_notes enable always trigger guard, enable always trigger guard_whole,
  enable always trigger check_note, enable always trigger drop_replies;
