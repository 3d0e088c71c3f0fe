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
