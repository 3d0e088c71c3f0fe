-- What a submission reads besides its own record; the preview of validate_only reads the same.

create or replace function app.context_of(m app.submission, received timestamptz, verified_for interval)
returns app.submission_context language plpgsql volatile as $$
declare found_ app.submission_context;
begin
  if m.coin is not null then
    select c.state, c.id into found_.circuit_state, found_.circuit_snapshot
      from app.circuit_snapshots c where c.coin = m.coin order by c.seq desc limit 1;
  end if;
  if m.workflow_hash is not null then
    found_.workflow_found := exists (select from app.workflow_publications p
      where p.hash = m.workflow_hash and (p.visibility = 'public' or p.owner_id = m.owner_id));
  end if;
  select i.status = 'verified' and i.checked_at > received - verified_for, i.history_from
    into found_.instrument_verified, found_.history_from
    from app.instruments i where i.instrument = m.instrument;
  if jsonb_array_length(m.related) > 0 then
    select jsonb_agg(jsonb_build_object('index', r.position - 1, 'reason', case
        when d.record_id is null then 'unseen'
        when d.data_cutoff > m.data_cutoff then 'later'
        else 'other_agent' end) order by r.position)
      into found_.related_faults
      from jsonb_array_elements(m.related) with ordinality r(link, position)
      left join app.decisions d on d.record_id = r.link ->> 'record_id'
        and app.may_read(m.owner_id, d.owner_id, d.lifecycle_state)
      where d.record_id is null or d.data_cutoff > m.data_cutoff
        or (r.link ->> 'relation' = 'supersedes' and d.agent_id <> m.agent_id);
  end if;
  return found_;
end $$;
