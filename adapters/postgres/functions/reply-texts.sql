-- A stored reply goes with each change of what it was made from, in the transaction of the change, also for statements by hand.
--
-- No reply from before a change is stored after it: app.store_replies compares the versions of the records while no change
-- of them can be under way. It locks the records and the related ones; a change of the log and a publication hold their
-- advisory lock from the trigger to the commit. It waits for none of them: what is locked is not stored.

-- In one order, so that two changes at once do not wait for each other.
create or replace function app.drop_replies_of(record_ids text[]) returns void language sql as $$
  delete from app.reply_texts t
    using (select record_id, edition from app.reply_texts where record_id = any(record_ids) order by 1, 2 for update) l
    where t.record_id = l.record_id and t.edition = l.edition
$$;

create or replace function app.drop_replies_of_record() returns trigger language plpgsql as $$
declare
  changed text[];
begin
  if app.is_public(old.lifecycle_state) <> app.is_public(new.lifecycle_state) then
    changed := array(select r.record_id from app.decision_relations r where r.related_id = new.record_id);
  end if;
  if app.is_public(old.lifecycle_state) then
    changed := changed || new.record_id;
  end if;
  if changed <> '{}' then
    perform app.drop_replies_of(changed);
  end if;
  return null;
end $$;
create or replace trigger drop_replies after update on app.decisions for each row
  when (app.is_public(old.lifecycle_state) or app.is_public(new.lifecycle_state))
  execute function app.drop_replies_of_record();

-- The lock is that of `LogStore.lock`.
create or replace function app.drop_replies_of_leaves() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7382614915);
  perform app.drop_replies_of(array(select record_id from added));
  return null;
end $$;
create or replace trigger drop_replies after insert on app.log_decisions referencing new table as added
  for each statement execute function app.drop_replies_of_leaves();
create or replace trigger drop_replies after insert on app.log_outcomes referencing new table as added
  for each statement execute function app.drop_replies_of_leaves();

-- Details show indexes of the newest log alone.
create or replace function app.drop_all_replies() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7382614915);
  delete from app.reply_texts;
  return null;
end $$;
create or replace trigger drop_replies after insert on app.logs for each statement
  execute function app.drop_all_replies();

create or replace function app.drop_replies_of_workflow() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7382614916);
  perform app.drop_replies_of(array(select t.record_id from app.reply_texts t join app.decisions d using (record_id)
    where d.workflow_hash = new.hash));
  return null;
end $$;
create or replace trigger drop_replies after insert on app.workflow_publications for each row
  when (new.visibility = 'public') execute function app.drop_replies_of_workflow();

alter table app.decisions enable always trigger drop_replies;
alter table app.log_decisions enable always trigger drop_replies;
alter table app.log_outcomes enable always trigger drop_replies;
alter table app.logs enable always trigger drop_replies;
alter table app.workflow_publications enable always trigger drop_replies;

create or replace function app.store_replies(
  editions text[], record_ids text[], versions text[], owner_texts text[], public_texts text[]
) returns setof text language plpgsql as $$
declare
  related text[];
  locked text[];
  owners uuid[];
begin
  if not pg_try_advisory_xact_lock_shared(7382614915) or not pg_try_advisory_xact_lock_shared(7382614916) then
    return;
  end if;
  -- Locks alone are written to the WAL, which nobody has to wait for.
  perform set_config('synchronous_commit', 'off', true);
  related := array(select r.related_id from app.decision_relations r where r.record_id = any(record_ids));
  select array_agg(l.record_id) into locked from (
    select d.record_id from app.decisions d where d.record_id = any(record_ids || related) for share skip locked) l;
  select array_agg(l.owner_id) into owners from (
    select o.owner_id from app.owners o
    where o.owner_id in (select d.owner_id from app.decisions d where d.record_id = any(locked))
    for key share skip locked) l;
  return query insert into app.reply_texts as t (record_id, edition, owner_id, owner_text, public_text, read_at)
    select w.record_id, w.edition, d.owner_id, w.owner_text, w.public_text, app.now()
    from unnest(editions, record_ids, versions, owner_texts, public_texts)
        w(edition, record_id, version, owner_text, public_text)
      join app.record_context c on c.record_id = w.record_id and c.version = w.version
      join app.decisions d on d.record_id = w.record_id and app.is_public(d.lifecycle_state)
    where w.record_id = any(locked) and d.owner_id = any(owners)
      and not exists (select from app.decision_relations r
        where r.record_id = w.record_id and not r.related_id = any(locked))
    order by w.record_id, w.edition
    on conflict (record_id, edition) do update set owner_text = coalesce(excluded.owner_text, t.owner_text),
      public_text = coalesce(excluded.public_text, t.public_text), read_at = excluded.read_at
    returning t.record_id;
end $$;
comment on function app.store_replies is 'The ids of the records whose replies were stored.';
