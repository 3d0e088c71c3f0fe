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
