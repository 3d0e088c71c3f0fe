-- The links between records, kept so that a viewer who may see few of many finds these at once.

-- decision_relations holds what was submitted; this is made from it, from its author and from what is public.
create table app.record_links (
  record_id text not null,
  related_id text not null,
  relations text[] not null,
  owner_id uuid not null,
  data_cutoff timestamptz(3) not null,
  is_shown boolean not null,
  primary key (record_id, related_id)
);
comment on table app.record_links is 'Made from decision_relations and decisions: whatever is removed can be made again.';
comment on column app.record_links.is_shown is
  'The source is public now, and what it points to was when it did: others see the link while both are public.';
create index shown_links on app.record_links (related_id, data_cutoff desc, record_id desc) where is_shown;
create index links_of_owner on app.record_links (owner_id, related_id, data_cutoff desc, record_id desc);

create function app.is_link_shown(relations text[], source app.decisions, target app.decisions) returns boolean
language sql immutable as $$
  select coalesce(source.lifecycle_state = 'evaluated' and target.evaluated_at < source.submission_time
    and relations <> '{supersedes}', false)
$$;

insert into app.record_links (record_id, related_id, relations, owner_id, data_cutoff, is_shown)
    select s.record_id, t.record_id, r.relations, s.owner_id, s.data_cutoff, app.is_link_shown(r.relations, s, t)
    from (select record_id, related_id, array_agg(relation order by relation) as relations
      from app.decision_relations group by record_id, related_id) r
    join app.decisions s on s.record_id = r.record_id join app.decisions t on t.record_id = r.related_id;

create function app.note_links() returns trigger language plpgsql as $$
begin
  insert into app.record_links (record_id, related_id, relations, owner_id, data_cutoff, is_shown)
    select s.record_id, t.record_id, r.relations, s.owner_id, s.data_cutoff, app.is_link_shown(r.relations, s, t)
    from (select record_id, related_id, array_agg(relation order by relation) as relations
      from said group by record_id, related_id) r
    join app.decisions s on s.record_id = r.record_id join app.decisions t on t.record_id = r.related_id;
  return null;
end $$;
create trigger note_links after insert on app.decision_relations referencing new table as said
  for each statement execute function app.note_links();

create function app.show_links() returns trigger language plpgsql as $$
begin
  update app.record_links l set is_shown = app.is_link_shown(l.relations, new, t)
    from app.decisions t where l.record_id = new.record_id and t.record_id = l.related_id;
  return null;
end $$;
create trigger show_links after update of lifecycle_state on app.decisions for each row
  when (old.lifecycle_state is distinct from new.lifecycle_state
    and 'evaluated' in (old.lifecycle_state, new.lifecycle_state))
  execute function app.show_links();

create index public_by_workflow on app.decisions (workflow_hash, data_cutoff, record_id)
  where lifecycle_state = 'evaluated' and workflow_hash is not null;

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert, update (is_shown) on app.record_links to %I', service);
end $$;
