-- What a submission reads besides its own record; the preview of validate_only reads the same.

create or replace function app.market_of(coin text, instrument text, received timestamptz, verified_for interval)
returns table (circuit_state text, circuit_snapshot uuid, instrument_verified boolean, history_from timestamptz)
language sql stable as $$
  select c.state, c.id, i.status = 'verified' and i.checked_at > received - verified_for, i.history_from
  from (values (1)) one
  left join lateral (select s.state, s.id from app.circuit_snapshots s where s.coin = market_of.coin
    order by s.seq desc limit 1) c on true
  left join app.instruments i on i.instrument = market_of.instrument
$$;
comment on function app.market_of is 'The circuit of a coin, and what is known of an instrument. Inlined wherever it is called.';

create or replace function app.sees_workflow(hash text, owner_id uuid) returns boolean language sql stable as $$
  select exists (select from app.workflow_publications p
    where p.hash = sees_workflow.hash and (p.visibility = 'public' or p.owner_id = sees_workflow.owner_id))
$$;
comment on function app.sees_workflow is 'Whether a decision of the owner may name this workflow.';

create or replace function app.related_faults(m app.submission) returns jsonb language sql stable as $$
  select jsonb_agg(jsonb_build_object('index', r.position - 1, 'reason', case
      when d.record_id is null then 'unseen'
      when d.data_cutoff > m.data_cutoff then 'later'
      else 'other_agent' end) order by r.position)
    from jsonb_array_elements(m.related) with ordinality r(link, position)
    left join app.decisions d on d.record_id = r.link ->> 'record_id'
      and app.may_read(m.owner_id, d.owner_id, d.lifecycle_state)
    where d.record_id is null or d.data_cutoff > m.data_cutoff
      or (r.link ->> 'relation' = 'supersedes' and d.agent_id <> m.agent_id)
$$;
comment on function app.related_faults is 'RefusedRelation of domain/decisions/submission/decision-intake.ts; null without any.';

create or replace function app.context_of(m app.submission, received timestamptz, verified_for interval)
returns app.submission_context language plpgsql volatile as $$
declare found_ app.submission_context;
begin
  select k.circuit_state, k.circuit_snapshot, k.instrument_verified, k.history_from
    into found_.circuit_state, found_.circuit_snapshot, found_.instrument_verified, found_.history_from
    from app.market_of(m.coin, m.instrument, received, verified_for) k;
  if m.workflow_hash is not null then
    found_.workflow_found := app.sees_workflow(m.workflow_hash, m.owner_id);
  end if;
  if m.related <> '[]' then
    found_.related_faults := app.related_faults(m);
  end if;
  return found_;
end $$;
