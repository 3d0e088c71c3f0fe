-- What the reply about a record is made from: the rows of others that it shows, its links, and the texts that are stored of it.

-- What the details of a record show of other rows. `version` changes with each of them, and with the row of the record.
--
-- Three tables are joined, no more: with the five that a read joins to it these are as many as the planner puts in an order of
-- its own (join_collapse_limit). One more, and each read would make the view for all records.

create or replace view app.record_context as
select c.record_id, c.row_version, c.log, c.leaf_index, c.outcome_index, c.workflow_public, c.related,
  concat_ws(' ', c.row_version, c.log, c.leaf_index, c.outcome_index, c.workflow_public, c.related, c.leaf_signed_at,
      c.noted)
    as version, c.leaf_signed_at, c.log_started_at
from (
  select d.record_id, d.xmin as row_version, l.log, l.index as leaf_index, g.index as outcome_index,
    d.workflow_hash is not null and exists (select from app.workflow_publications p
      where p.hash = d.workflow_hash and p.visibility = 'public') as workflow_public,
    case when exists (select from app.decision_relations r where r.record_id = d.record_id)
      then (select jsonb_agg(jsonb_build_object('record_id', r.related_id, 'relation', r.relation,
          'public', app.was_public_at(received => d.submission_time, lifecycle_state => t.lifecycle_state,
            evaluated_at => t.evaluated_at)) order by r.related_id, r.relation)
        from app.decision_relations r join app.decisions t on t.record_id = r.related_id
        where r.record_id = d.record_id)
      else '[]' end as related,
    (select min(f.signed_at) from app.logs t cross join lateral (
      select p.signed_at from app.log_checkpoints p
      where p.log = t.log and p.size > l.index and p.signature is not null order by p.size limit 1
    ) f where coalesce(t.tree, t.log) = l.log) as leaf_signed_at,
    (select n.started_at from app.logs n where n.log = l.log) as log_started_at,
    -- It grows with each note, and with each that is emptied.
    (select count(*) + count(*) filter (where n.text is null) from app.decision_notes n
      where n.record_id = d.record_id) as noted
  from app.decisions d
  left join app.log_decisions l on l.record_id = d.record_id and l.log = (
    select coalesce(n.tree, n.log) from app.logs n order by n.log desc limit 1)
  left join app.log_outcomes g on g.record_id = l.record_id and g.log = l.log
) c;
comment on view app.record_context is
  'Of the newest log, by the number under which its leaves are stored; related: public now and before the record was received.';

-- Of an array of unknown length the planner expects ten rows, of a short one as many as it has: it would then plan each read
-- of few records anew, which takes longer than the read. A volatile function always has the rows that it declares.
create or replace function app.wanted_records(record_ids text[], viewers uuid[])
returns table (record_id text, viewer uuid, "position" integer) volatile rows 1 language sql as $$
  select w.record_id, w.viewer, w.position::int
  from unnest(record_ids, viewers) with ordinality w(record_id, viewer, position)
$$;
comment on function app.wanted_records is 'Who wants to read which record, by position.';

-- Links between records, made from what submissions say and from what is public.

create or replace function app.is_link_shown(relations text[], source app.decisions, target app.decisions)
returns boolean language sql immutable as $$
  select coalesce(app.is_public(source.lifecycle_state) and target.evaluated_at < source.submission_time
    and relations <> '{supersedes}', false)
$$;

create or replace function app.note_links() returns trigger language plpgsql as $$
begin
  insert into app.record_links (record_id, related_id, relations, owner_id, data_cutoff, is_shown)
    select s.record_id, t.record_id, r.relations, s.owner_id, s.data_cutoff, app.is_link_shown(r.relations, s, t)
    from (select record_id, related_id, array_agg(relation order by relation) as relations
      from said group by record_id, related_id) r
    join app.decisions s on s.record_id = r.record_id join app.decisions t on t.record_id = r.related_id;
  return null;
end $$;
create or replace trigger note_links after insert on app.decision_relations referencing new table as said
  for each statement execute function app.note_links();

create or replace function app.show_links() returns trigger language plpgsql as $$
begin
  update app.record_links l set is_shown = app.is_link_shown(l.relations, new, t)
    from app.decisions t where l.record_id = new.record_id and t.record_id = l.related_id;
  return null;
end $$;
create or replace trigger show_links after update of lifecycle_state on app.decisions for each row
  when (app.is_public(old.lifecycle_state) <> app.is_public(new.lifecycle_state))
  execute function app.show_links();

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
