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
