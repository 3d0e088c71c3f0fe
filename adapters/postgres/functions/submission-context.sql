-- What a submission reads besides its own record; the preview of validate_only reads the same.

do $$ begin
  if to_regtype('app.submission') is null then
    create type app.submission as (
      ordinal int,
      owner_id uuid,
      agent_id text,
      key_prefix text,
      suffix text,
      instrument text,
      market text,
      symbol text,
      venue text,
      asset_class text,
      quote_currency text,
      submitted_symbol text,
      direction text,
      horizon_kind text,
      horizon_value int,
      analysis_class text,
      perspective_type text,
      data_cutoff timestamptz,
      submission_origin text,
      valid_from timestamptz,
      valid_until timestamptz,
      anchor_at timestamptz,
      end_at timestamptz,
      end_after_ms bigint,
      settles_at timestamptz,
      settles_after_ms bigint,
      history_needed_from timestamptz,
      coin text,
      refuse_tripped boolean,
      cohort_key text,
      isolated_cohort_key text,
      workflow_hash text,
      related jsonb,
      warnings text[],
      idempotency_key text,
      fingerprint text,
      submits_per_hour int,
      cooldown_seconds int,
      retroactive_per_day int,
      body text,
      salt text
    );
  end if;
end $$;

do $$ begin
  if to_regtype('app.submission_context') is null then
    create type app.submission_context as (
      circuit_state text,
      circuit_snapshot uuid,
      workflow_found boolean,
      instrument_verified boolean,
      history_from timestamptz,
      related_faults jsonb
    );
  end if;
end $$;

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
