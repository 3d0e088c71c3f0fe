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
