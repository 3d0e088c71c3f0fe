-- Counts of the records of agents and workflows: cells, and a tail of changes that no cell counts yet
-- (docs/adr/0016-changes-of-records-are-counted.md). Every count is a sum, so that no change reads others.

create or replace function app.lock_track_cells() returns void language sql
  as $$ select pg_advisory_xact_lock(7382614917) $$;
comment on function app.lock_track_cells() is
  'A transaction that changes cells holds it to its end. A change that enters the tail does not wait for it.';

create or replace function app.has_closed(lifecycle_state text) returns boolean immutable language sql
  return app.is_public(lifecycle_state) or app.closes(lifecycle_state);

create or replace function app.counts_by_bucket(lifecycle_state text, method text, cohort_exception text)
returns boolean immutable language sql
  return app.is_public(lifecycle_state)
    and not coalesce(cohort_exception = 'wrong_security' or (cohort_exception = 'suspected_split' and method <> 'eval/2'), false);
comment on function app.counts_by_bucket is
  'countsByBucket of domain/decisions/ungraded.ts. Other outcomes are counted as evaluated, without a bucket and a move.';

create or replace function app.left_out_reason(lifecycle_state text, last_error text, cohort_exception text) returns text
immutable language sql
  return case when app.is_public(lifecycle_state) then case cohort_exception when 'wrong_security' then cohort_exception else '' end
    else coalesce(app.ungraded_reason(lifecycle_state, last_error), '') end;
comment on function app.left_out_reason is
  'What cells have as the reason of a record without a bucket: empty for one that is counted, or suspected.';

create or replace function app.counted_bucket(lifecycle_state text, bucket text) returns text immutable language sql
  return case when app.is_public(lifecycle_state) then bucket else '' end;

create or replace function app.counted_move(lifecycle_state text, move smallint) returns smallint immutable language sql
  return case when app.is_public(lifecycle_state) then coalesce(move, -1) else -1 end;

create or replace function app.counted_kinds(
  lifecycle_state text, bucket text, last_error text, moved smallint, archived_at timestamptz)
returns table (kind text, result_bucket text, ungraded text, move smallint) stable language sql as $$
  select 'received', '', '', -1::smallint
  union all
  select lifecycle_state, app.counted_bucket(lifecycle_state, bucket),
    coalesce(app.ungraded_reason(lifecycle_state, last_error), ''), app.counted_move(lifecycle_state, moved)
  where app.has_closed(lifecycle_state)
  union all
  select 'archived', '', '', -1::smallint where archived_at is not null
$$;
comment on function app.counted_kinds is
  'What a record is counted as: received, always; its state, unless it is open; archived. Records that are open are those received without those of a state.';

create or replace function app.facets_of(
  of_record text, direction text, market_symbol text, submission_time timestamptz, kind text)
returns table (facet text, key text) stable language sql as $$
  select 'direction', direction
  union all select 'symbol', market_symbol where kind <> 'archived'
  union all select 'month', to_char(submission_time at time zone 'UTC', 'YYYY-MM') where kind <> 'archived'
  union all select 'confidence', case when doc.confidence = 1 then '9' else floor(doc.confidence * 10)::text end
    from app.decision_documents doc
    where doc.record_id = of_record and doc.confidence is not null and app.is_public(kind)
$$;
comment on function app.facets_of is 'The facets of domain/decisions/own/track-record.ts that a record has a key in; all is the sum of the directions.';

create or replace function app.note_received() returns trigger language plpgsql as $$
begin
  insert into app.track_tail (record_id, agent_id, workflow_hash, kind, result_bucket, ungraded, move, n)
    select d.record_id, d.agent_id, d.workflow_hash, k.kind, k.result_bucket, k.ungraded, k.move, 1
    from added d cross join lateral app.counted_kinds(d.lifecycle_state,
      case when app.counts_by_bucket(d.lifecycle_state, d.method, d.cohort_exception) then d.result_bucket else '' end, d.last_error,
      case when app.counts_by_bucket(d.lifecycle_state, d.method, d.cohort_exception) then d.move end, d.archived_at) k;
  return null;
end $$;
create or replace trigger note_received after insert on app.decisions referencing new table as added
  for each statement execute function app.note_received();

-- Statements by hand instead of app.counted_kinds, which takes three times as long for one row.
create or replace function app.note_change() returns trigger language plpgsql as $$
declare
  had boolean;
  has boolean;
begin
  if (old.archived_at is null) <> (new.archived_at is null) then
    insert into app.track_tail values (new.record_id, new.agent_id, new.workflow_hash, 'archived', '', '', -1,
      case when new.archived_at is null then -1 else 1 end);
  end if;
  if (old.lifecycle_state, old.result_bucket, old.last_error, old.move, old.cohort_exception) is not distinct from
    (new.lifecycle_state, new.result_bucket, new.last_error, new.move, new.cohort_exception) then return null; end if;
  had := app.counts_by_bucket(old.lifecycle_state, old.method, old.cohort_exception);
  has := app.counts_by_bucket(new.lifecycle_state, new.method, new.cohort_exception);
  if app.has_closed(old.lifecycle_state) then
    insert into app.track_tail values (new.record_id, new.agent_id, new.workflow_hash, old.lifecycle_state,
      case when had then old.result_bucket else '' end,
      app.left_out_reason(old.lifecycle_state, old.last_error, old.cohort_exception),
      case when had then coalesce(old.move, -1) else -1 end, -1);
  end if;
  if app.has_closed(new.lifecycle_state) then
    insert into app.track_tail values (new.record_id, new.agent_id, new.workflow_hash, new.lifecycle_state,
      case when has then new.result_bucket else '' end,
      app.left_out_reason(new.lifecycle_state, new.last_error, new.cohort_exception),
      case when has then coalesce(new.move, -1) else -1 end, 1);
  end if;
  return null;
end $$;
create or replace trigger note_change after update on app.decisions for each row
  when ((old.archived_at is null) <> (new.archived_at is null)
    or ((app.has_closed(old.lifecycle_state) or app.has_closed(new.lifecycle_state))
      and (old.lifecycle_state, old.result_bucket, old.last_error, old.move, old.cohort_exception)
        is distinct from (new.lifecycle_state, new.result_bucket, new.last_error, new.move, new.cohort_exception)))
  execute function app.note_change();

create or replace view app.track_changes as
select t.ctid as place, t.agent_id, f.facet, d.submission_origin, t.kind, f.key, t.result_bucket, t.ungraded, t.move,
  t.n::bigint as n, case when t.kind = 'received' then d.submission_time end as first,
  case when t.kind = 'received' then d.submission_time end as last
from app.track_tail t join app.decisions d on d.record_id = t.record_id
cross join lateral app.facets_of(d.record_id, d.direction, d.market || ':' || d.symbol, d.submission_time, t.kind) f;
comment on view app.track_changes is 'The tail as cells of agents.';

create or replace view app.workflow_changes as
select t.ctid as place, t.workflow_hash, d.owner_id, t.kind, t.result_bucket, t.n::bigint as n,
  case when t.kind = 'received' then d.submission_time end as last
from app.track_tail t join app.decisions d on d.record_id = t.record_id
where t.workflow_hash is not null and t.kind in ('received', 'evaluated') and not app.is_further(d.group_place);
comment on view app.workflow_changes is 'The tail as cells of workflows, which count a decision group once.';

create or replace view app.track_counts as
select agent_id, facet, submission_origin, kind, key, result_bucket, ungraded, move, n, first, last from app.track_cells
union all
select agent_id, facet, submission_origin, kind, key, result_bucket, ungraded, move, n, first, last
from app.track_changes;
comment on view app.track_counts is 'Sums of n count the records of agents at this moment.';

create or replace view app.workflow_counts as
select workflow_hash, owner_id, kind, result_bucket, n, last from app.workflow_cells
union all
select workflow_hash, owner_id, kind, result_bucket, n, last from app.workflow_changes;
comment on view app.workflow_counts is 'Sums of n count the records that name a workflow snapshot at this moment.';

create or replace function app.fold_tracks(batch int) returns int language plpgsql as $$
declare
  places tid[];
  ids text[];
begin
  perform app.lock_track_cells();
  places := array(select ctid from app.track_tail limit batch);
  ids := array(select distinct agent_id from app.track_tail where ctid = any(places));
  -- No agent goes until the cells are there to go with it. Changes of agents that are gone are in no cell.
  perform from app.agents where agent_id = any(ids) order by agent_id for key share;
  insert into app.track_cells as c
    select agent_id, facet, submission_origin, kind, key, result_bucket, ungraded, move, sum(n), min(first), max(last)
    from app.track_changes join app.agents using (agent_id) where place = any(places)
    group by agent_id, facet, submission_origin, kind, key, result_bucket, ungraded, move
  on conflict (agent_id, facet, submission_origin, kind, key, result_bucket, ungraded, move)
  do update set n = c.n + excluded.n, first = least(c.first, excluded.first), last = greatest(c.last, excluded.last);
  insert into app.workflow_cells as c
    select workflow_hash, owner_id, kind, result_bucket, sum(n), max(last)
    from app.workflow_changes where place = any(places)
    group by workflow_hash, owner_id, kind, result_bucket
  on conflict (workflow_hash, owner_id, kind, result_bucket)
  do update set n = c.n + excluded.n, last = greatest(c.last, excluded.last);
  delete from app.track_tail where ctid = any(places);
  return cardinality(places);
end $$;
comment on function app.fold_tracks is 'Moves up to so many changes from the tail into the cells; how many it were.';

-- The counts of agents and workflows made again from the records, and compared with them.

create or replace view app.counted_tracks as
select d.agent_id, f.facet, d.submission_origin, k.kind, f.key, k.result_bucket,
  case when app.is_public(k.kind) then app.left_out_reason(d.lifecycle_state, d.last_error, d.cohort_exception)
    else k.ungraded end as ungraded, k.move, 1::bigint as n,
  case when k.kind = 'received' then d.submission_time end as first,
  case when k.kind = 'received' then d.submission_time end as last
from app.decisions d join app.agents a on a.agent_id = d.agent_id
cross join lateral app.counted_kinds(d.lifecycle_state,
  case when app.counts_by_bucket(d.lifecycle_state, d.method, d.cohort_exception) then d.result_bucket else '' end, d.last_error,
  case when app.counts_by_bucket(d.lifecycle_state, d.method, d.cohort_exception) then d.move end, d.archived_at) k
cross join lateral app.facets_of(d.record_id, d.direction, d.market || ':' || d.symbol, d.submission_time, k.kind) f;
comment on view app.counted_tracks is 'The cells of agents, counted from records; those of agents that are gone are in none.';

create or replace view app.counted_workflows as
select d.workflow_hash, d.owner_id, k.kind, k.result_bucket, 1::bigint as n,
  case when k.kind = 'received' then d.submission_time end as last
from app.decisions d cross join lateral app.counted_kinds(d.lifecycle_state,
  case when app.counts_by_bucket(d.lifecycle_state, d.method, d.cohort_exception) then d.result_bucket else '' end, d.last_error,
  case when app.counts_by_bucket(d.lifecycle_state, d.method, d.cohort_exception) then d.move end, d.archived_at) k
where d.workflow_hash is not null and k.kind in ('received', 'evaluated') and not app.is_further(d.group_place);
comment on view app.counted_workflows is 'The cells of workflows, counted from records.';

create or replace function app.rebuild_track_cells() returns void language plpgsql as $$
begin
  perform app.lock_track_cells();
  delete from app.track_cells;
  delete from app.workflow_cells;
  -- Records and tail are of one snapshot: what enters the tail later is in no cell.
  insert into app.track_cells
    select agent_id, facet, submission_origin, kind, key, result_bucket, ungraded, move, sum(n), min(first), max(last)
    from (
      select * from app.counted_tracks
      union all
      select agent_id, facet, submission_origin, kind, key, result_bucket, ungraded, move, -n, first, last
      from app.track_changes join app.agents using (agent_id)
    ) counted
    group by agent_id, facet, submission_origin, kind, key, result_bucket, ungraded, move having sum(n) <> 0;
  insert into app.workflow_cells
    select workflow_hash, owner_id, kind, result_bucket, sum(n), max(last)
    from (
      select * from app.counted_workflows
      union all
      select workflow_hash, owner_id, kind, result_bucket, -n, last from app.workflow_changes
    ) counted
    group by workflow_hash, owner_id, kind, result_bucket having sum(n) <> 0;
end $$;
comment on function app.rebuild_track_cells is 'Counts everything anew but the tail, which goes on to be folded.';

create or replace function app.recount_symbols(of_agents text[], of_keys text[]) returns void language plpgsql as $$
begin
  perform app.lock_track_cells();
  delete from app.track_cells c where c.agent_id = any(of_agents) and c.facet = 'symbol' and c.key = any(of_keys);
  insert into app.track_cells
    select agent_id, facet, submission_origin, kind, key, result_bucket, ungraded, move, sum(n), min(first), max(last)
    from (
      select * from app.counted_tracks c where c.agent_id = any(of_agents) and c.facet = 'symbol' and c.key = any(of_keys)
      union all
      select agent_id, facet, submission_origin, kind, key, result_bucket, ungraded, move, -n, first, last
      from app.track_changes join app.agents using (agent_id)
      where agent_id = any(of_agents) and facet = 'symbol' and key = any(of_keys)
    ) counted
    group by agent_id, facet, submission_origin, kind, key, result_bucket, ungraded, move having sum(n) <> 0;
end $$;
comment on function app.recount_symbols is 'The same of the counts of some agents by some symbols alone.';

create or replace function app.track_faults() returns table (cell text, kept text, counted text) stable
language sql as $$
  select concat_ws(' ', 'agent', agent_id, facet, submission_origin, kind, nullif(key, ''), nullif(result_bucket, ''),
      nullif(ungraded, ''), nullif(move, -1)),
    k.n || coalesce(' from ' || k.first || ' to ' || k.last, ''),
    c.n || coalesce(' from ' || c.first || ' to ' || c.last, '')
  from (
    select agent_id, facet, submission_origin, kind, key, result_bucket, ungraded, move, sum(n) as n,
      min(first) as first, max(last) as last
    from app.track_counts join app.agents using (agent_id)
    group by agent_id, facet, submission_origin, kind, key, result_bucket, ungraded, move having sum(n) <> 0
  ) k full join (
    select agent_id, facet, submission_origin, kind, key, result_bucket, ungraded, move, sum(n) as n,
      min(first) as first, max(last) as last
    from app.counted_tracks
    group by agent_id, facet, submission_origin, kind, key, result_bucket, ungraded, move
  ) c using (agent_id, facet, submission_origin, kind, key, result_bucket, ungraded, move)
  where (k.n, k.first, k.last) is distinct from (c.n, c.first, c.last)
  union all
  select concat_ws(' ', 'workflow', workflow_hash, 'of', owner_id, kind, nullif(result_bucket, '')),
    k.n || coalesce(' to ' || k.last, ''), c.n || coalesce(' to ' || c.last, '')
  from (
    select workflow_hash, owner_id, kind, result_bucket, sum(n) as n, max(last) as last from app.workflow_counts
    group by workflow_hash, owner_id, kind, result_bucket having sum(n) <> 0
  ) k full join (
    select workflow_hash, owner_id, kind, result_bucket, sum(n) as n, max(last) as last from app.counted_workflows
    group by workflow_hash, owner_id, kind, result_bucket
  ) c using (workflow_hash, owner_id, kind, result_bucket)
  where (k.n, k.last) is distinct from (c.n, c.last)
$$;
comment on function app.track_faults is 'The counts of agents and workflows, with the tail, that differ from the records.';

-- The most windows of which no two overlap.

create or replace function app.take_window(taken bigint, since_until int[]) returns bigint immutable
language plpgsql as $$
begin
  if since_until[1] < (taken >> 32) then return taken; end if;
  return (since_until[2]::bigint << 32) | ((taken & 4294967295) + 1);
end $$;
comment on function app.take_window is
  'The end of the last window taken, in the higher half, and how many were. The next window ends at the same time or later.';

create or replace function app.taken_windows(taken bigint) returns int immutable language sql
  return taken & 4294967295;
comment on function app.taken_windows is 'How many were taken.';

create or replace aggregate app.disjoint_windows(since_until int[]) (
  sfunc = app.take_window, stype = bigint, initcond = '-9223372036854775808', finalfunc = app.taken_windows);
comment on aggregate app.disjoint_windows(int[]) is
  'Of windows in the order of their ends; mostDisjoint of domain/decisions/own/window-counts.ts.';
