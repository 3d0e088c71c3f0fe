-- The tables and functions of the first release.

create schema app;

-- Owners and everything they sign in with (settled.md section 8).
create function app.now() returns timestamptz language sql volatile
  as $$ select date_trunc('milliseconds', clock_timestamp()) $$;
comment on function app.now() is 'The one clock of windows, days and receive times, in whole milliseconds.';

create function app.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% on % is refused: its rows are evidence', tg_op, tg_table_name using errcode = '42501';
end $$;

-- Rows of the table can be added and read, and never again be changed or removed, by any role.
create procedure app.keep_for_ever(evidence regclass) language plpgsql as $$
begin
  execute format('create trigger evidence before update or delete on %s for each row
    execute function app.refuse_change()', evidence);
  execute format('create trigger evidence_whole before truncate on %s execute function app.refuse_change()', evidence);
  execute format('alter table %s enable always trigger evidence, enable always trigger evidence_whole', evidence);
end $$;

create table app.owners (
  owner_id uuid primary key,
  email text,
  email_folded text unique,
  password_hash text,
  role text not null default 'owner' check (role in ('owner', 'admin')),
  tier text not null default 'free' check (tier in ('free', 'pro')),
  preferences jsonb not null default '{}',
  created_at timestamptz(3) not null,
  check ((email is null) = (email_folded is null))
);

create table app.identities (
  issuer text not null,
  subject text not null,
  owner_id uuid not null references app.owners on delete cascade,
  created_at timestamptz(3) not null,
  primary key (issuer, subject)
);
create index on app.identities (owner_id);

create table app.agents (
  agent_id text primary key check (agent_id ~ '^agt_[0-9a-f]{12}$'),
  owner_id uuid not null references app.owners on delete cascade,
  name text not null,
  created_at timestamptz(3) not null
);
create index on app.agents (owner_id);

create table app.api_keys (
  key_prefix text primary key,
  key_hash bytea not null unique check (length(key_hash) = 32),
  owner_id uuid not null references app.owners on delete cascade,
  agent_id text references app.agents on delete cascade,
  permission_mode text not null check (permission_mode in ('read_write', 'read_only')),
  label text,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  revoked_at timestamptz(3)
);
create index on app.api_keys (owner_id) where revoked_at is null;

create table app.sessions (
  session_hash bytea primary key check (length(session_hash) = 32),
  owner_id uuid not null references app.owners on delete cascade,
  created_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null
);
create index on app.sessions (owner_id);

create table app.legal_acceptances (
  owner_id uuid not null references app.owners on delete cascade,
  accepted_at timestamptz(3) not null,
  terms_version text not null,
  privacy_version text not null,
  source text not null,
  primary key (owner_id, accepted_at)
);

create table app.audit_log (
  seq bigint generated always as identity primary key,
  at timestamptz(3) not null,
  actor text not null,
  action text not null,
  subject text not null,
  detail jsonb not null default '{}'
);
call app.keep_for_ever('app.audit_log');

-- Instruments, decisions and what is known of them (settled.md sections 2-6).
create table app.instruments (
  instrument text primary key,
  market text not null,
  symbol text not null,
  venue text not null,
  asset_class text not null,
  quote_currency text not null,
  status text not null check (status in ('verified', 'rejected', 'unreachable')),
  listing jsonb,
  history_from timestamptz(3),
  checked_at timestamptz(3) not null,
  retry_at timestamptz(3),
  attempts int not null default 0,
  last_error text
);

create table app.decisions (
  record_id text primary key check (record_id ~ '^dec_[0-9]{8}_[0-9a-f]{8}$'),
  owner_id uuid not null,
  agent_id text not null,
  instrument text not null,
  market text not null,
  symbol text not null,
  venue text not null,
  asset_class text not null,
  quote_currency text not null,
  submitted_symbol text not null,
  direction text not null,
  horizon_kind text not null,
  horizon_value int not null,
  analysis_class text not null,
  perspective_type text,
  data_cutoff timestamptz(3) not null,
  submission_time timestamptz(3) not null,
  submission_origin text not null check (submission_origin in ('realtime', 'retroactive')),
  anchor_time timestamptz(3) not null,
  end_time timestamptz(3) not null,
  settles_at timestamptz(3) not null,
  cohort_key text not null,
  isolation_snapshot_id uuid,
  workflow_hash text,
  lifecycle_state text not null check (lifecycle_state in ('pending_verify', 'verified', 'rejected', 'evaluating',
    'deferred', 'data_unavailable', 'evaluated', 'quarantined')),
  due_at timestamptz(3),
  attempts int not null default 0,
  last_error text,
  eval_token uuid,
  evaluated_at timestamptz(3),
  result_bucket text,
  created_regime jsonb,
  raw_return double precision,
  directional_return double precision,
  mfe double precision,
  mae double precision,
  archived_at timestamptz(3),
  archive_reason text,
  quarantined_at timestamptz(3),
  quarantine_reason text,
  check (anchor_time < end_time),
  check ((lifecycle_state in ('verified', 'evaluating', 'deferred')) = (due_at is not null)),
  check ((lifecycle_state = 'evaluating') = (eval_token is not null)),
  check (lifecycle_state <> 'evaluated' or (evaluated_at is not null and result_bucket is not null))
);
comment on column app.decisions.due_at is 'When a sweep has to act: settled, to be retried, or the lease of an evaluation is over.';
create index decisions_due on app.decisions (due_at) where due_at is not null;
create index decisions_unverified on app.decisions (instrument) where lifecycle_state = 'pending_verify';
create index decisions_of_owner on app.decisions (owner_id, submission_time desc, record_id desc);

create table app.decision_documents (
  record_id text primary key references app.decisions,
  submission jsonb not null,
  statement text not null,
  salt bytea not null check (length(salt) = 32),
  commitment text not null check (commitment = encode(sha256(salt || convert_to(statement, 'UTF8')), 'hex')),
  receipt jsonb not null
);
comment on column app.decision_documents.statement is 'What was said and when, in RFC 8785 form: the text that the commitment seals.';

create table app.decision_outcomes (
  record_id text primary key references app.decisions,
  facts jsonb not null,
  owner_facts jsonb not null,
  bars jsonb not null
);

create table app.decision_relations (
  record_id text not null references app.decisions,
  related_id text not null references app.decisions,
  relation text not null,
  primary key (record_id, related_id, relation)
);
create index on app.decision_relations (related_id);

call app.keep_for_ever('app.decision_documents');
call app.keep_for_ever('app.decision_outcomes');
call app.keep_for_ever('app.decision_relations');

create table app.idempotency (
  agent_id text not null,
  key text not null,
  fingerprint bytea not null check (length(fingerprint) = 32),
  record_id text not null,
  created_at timestamptz(3) not null,
  primary key (agent_id, key)
);
create index on app.idempotency (created_at);

create table app.cooldowns (
  agent_id text not null,
  market text not null,
  symbol text not null,
  direction text not null,
  last_at timestamptz(3) not null,
  record_id text not null,
  primary key (agent_id, market, symbol, direction)
);

create table app.submit_hours (
  agent_id text not null,
  hour timestamptz(3) not null,
  used int not null check (used > 0),
  primary key (agent_id, hour)
);

create table app.retroactive_days (
  owner_id uuid not null,
  day date not null,
  used int not null check (used > 0),
  primary key (owner_id, day)
);

-- What a submission reads besides its own record: circuits and published workflows (settled.md sections 9 and 11); counters.
create table app.circuit_snapshots (
  seq bigint generated always as identity primary key,
  id uuid not null unique,
  coin text not null check (coin in ('USDT', 'USDC')),
  from_state text not null,
  state text not null check (state in ('normal', 'warming', 'tripped')),
  cause text not null,
  actor text,
  reason text,
  justification text,
  evidence_urls text[],
  at timestamptz(3) not null
);
create index on app.circuit_snapshots (coin, seq desc);

create table app.workflows (
  id uuid primary key,
  owner_id uuid not null references app.owners on delete cascade,
  name text not null,
  description text not null default '',
  tags text[] not null default '{}',
  visibility text not null check (visibility in ('private', 'public')),
  draft jsonb not null,
  version int not null default 1,
  forked_from text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index on app.workflows (owner_id, updated_at desc);

create table app.workflow_snapshots (
  hash text primary key check (hash = encode(sha256(convert_to(content, 'UTF8')), 'hex')),
  content text not null
);

create table app.workflow_publications (
  seq bigint generated always as identity primary key,
  hash text not null references app.workflow_snapshots,
  workflow_id uuid not null,
  owner_id uuid not null,
  visibility text not null check (visibility in ('private', 'public')),
  at timestamptz(3) not null
);
create index on app.workflow_publications (hash, visibility);

call app.keep_for_ever('app.circuit_snapshots');
call app.keep_for_ever('app.workflow_snapshots');
call app.keep_for_ever('app.workflow_publications');

create table app.quota_days (
  owner_id uuid not null,
  day date not null,
  pool text not null check (pool in ('query', 'read')),
  used int not null default 0 check (used >= 0),
  credit int not null default 0 check (credit >= 0),
  primary key (owner_id, day, pool)
);

create table app.quota_checks (
  owner_id uuid not null,
  day date not null,
  record_id text not null,
  used int not null check (used >= 0),
  primary key (owner_id, day, record_id)
);

create table app.credit_ledger (
  record_id text primary key,
  owner_id uuid not null,
  day date not null,
  amount int not null
);

create table app.rate_windows (
  subject text primary key,
  second_start timestamptz(3) not null,
  second_used int not null,
  minute_start timestamptz(3) not null,
  minute_used int not null
);

-- A submission as the database sees it.
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

create type app.surroundings as (
  circuit_state text,
  circuit_snapshot uuid,
  workflow_found boolean,
  instrument_verified boolean,
  history_from timestamptz,
  related_faults jsonb
);

-- What a submission meets beside its own record; the preview of validate_only reads the same.
create function app.surroundings_of(m app.submission, received timestamptz) returns app.surroundings
language plpgsql volatile as $$
declare found_ app.surroundings;
begin
  if m.coin is not null then
    select c.state, c.id into found_.circuit_state, found_.circuit_snapshot
      from app.circuit_snapshots c where c.coin = m.coin order by c.seq desc limit 1;
  end if;
  if m.workflow_hash is not null then
    found_.workflow_found := exists (select from app.workflow_publications p
      where p.hash = m.workflow_hash and (p.visibility = 'public' or p.owner_id = m.owner_id));
  end if;
  select i.status = 'verified' and i.checked_at > received - interval '24 hours', i.history_from
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
        and (d.owner_id = m.owner_id or d.lifecycle_state = 'evaluated')
      where d.record_id is null or d.data_cutoff > m.data_cutoff
        or (r.link ->> 'relation' = 'supersedes' and d.agent_id <> m.agent_id);
  end if;
  return found_;
end $$;

create function app.rfc3339(at timestamptz) returns text language sql stable
  as $$ select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

create function app.record_id(received timestamptz, suffix text) returns text language sql stable
  as $$ select 'dec_' || to_char(received at time zone 'UTC', 'YYYYMMDD') || '_' || suffix $$;

-- The write of submissions.
create function app.submit(batch jsonb, patience_ms int)
returns table (ordinal int, verdict text, detail jsonb, received_at timestamptz)
language plpgsql volatile as $$
#variable_conflict use_column
declare
  m app.submission;
  beside app.surroundings;
  received timestamptz;
  v_mode text;
  v_record text;
  v_print bytea;
  v_last timestamptz;
  v_anchor timestamptz;
  v_end timestamptz;
  v_settles timestamptz;
  v_state text;
  v_isolated boolean;
  v_statement text;
  v_commitment text;
  v_receipt jsonb;
begin
  perform set_config('lock_timeout', patience_ms::text, true);
  for m in select x.* from jsonb_populate_recordset(null::app.submission, batch) x
    order by x.owner_id, x.agent_id, x.idempotency_key, x.market, x.symbol, x.direction, x.ordinal
  loop
    verdict := null;
    detail := null;
    begin
      select permission_mode into v_mode from app.api_keys
        where key_prefix = m.key_prefix and revoked_at is null for share;
      if v_mode is distinct from 'read_write' then
        verdict := case when v_mode is null then 'key_revoked' else 'key_read_only' end;
        raise sqlstate 'SB000';
      end if;

      received := app.now();
      v_record := app.record_id(received, m.suffix);
      if m.idempotency_key is not null then
        insert into app.idempotency as i (agent_id, key, fingerprint, record_id, created_at)
          values (m.agent_id, m.idempotency_key, decode(m.fingerprint, 'hex'), v_record, received)
          on conflict (agent_id, key) do update
            set fingerprint = excluded.fingerprint, record_id = excluded.record_id, created_at = excluded.created_at
            where i.created_at <= excluded.created_at - interval '48 hours';
        if not found then
          select i.fingerprint, i.record_id into v_print, v_record
            from app.idempotency i where i.agent_id = m.agent_id and i.key = m.idempotency_key;
          if not found then
            -- It was pruned while we looked: to be judged once more.
            verdict := 'collision';
          elsif v_print = decode(m.fingerprint, 'hex') then
            verdict := 'replayed';
            select d.receipt into detail from app.decision_documents d where d.record_id = v_record;
          else
            verdict := 'key_reused';
          end if;
          raise sqlstate 'SB000';
        end if;
        received := greatest(received, app.now());
        -- A wait that crossed midnight: to be judged once more, under an id of the new day.
        if v_record <> app.record_id(received, m.suffix) then
          verdict := 'collision';
          raise sqlstate 'SB000';
        end if;
      end if;

      if received < m.valid_from or received >= m.valid_until then
        verdict := 'replan';
        raise sqlstate 'SB000';
      end if;
      v_anchor := coalesce(m.anchor_at, received);
      v_end := coalesce(m.end_at, received + m.end_after_ms * interval '1 millisecond');
      v_settles := coalesce(m.settles_at, received + m.settles_after_ms * interval '1 millisecond');

      beside := app.surroundings_of(m, received);
      if beside.related_faults is not null then
        verdict := 'related_refused';
        detail := beside.related_faults;
        raise sqlstate 'SB000';
      end if;
      v_isolated := coalesce(beside.circuit_state <> 'normal', false);
      if m.refuse_tripped and beside.circuit_state = 'tripped' then
        verdict := 'circuit_open';
        raise sqlstate 'SB000';
      end if;

      insert into app.submit_hours as h (agent_id, hour, used)
        select m.agent_id, date_trunc('hour', received, 'UTC'), 1 where m.submits_per_hour > 0
        on conflict (agent_id, hour) do update set used = h.used + 1 where h.used < m.submits_per_hour;
      if not found then
        verdict := 'frequency';
        detail := jsonb_build_object('retry_after_seconds',
          ceil(extract(epoch from date_trunc('hour', received, 'UTC') + interval '1 hour' - received)));
        raise sqlstate 'SB000';
      end if;

      if m.cooldown_seconds > 0 then
        insert into app.cooldowns as c (agent_id, market, symbol, direction, last_at, record_id)
          values (m.agent_id, m.market, m.symbol, m.direction, received, v_record)
          on conflict (agent_id, market, symbol, direction) do update
            set last_at = excluded.last_at, record_id = excluded.record_id
            where c.last_at <= excluded.last_at - m.cooldown_seconds * interval '1 second';
        if not found then
          verdict := 'cooldown';
          select jsonb_build_object('record_id', c.record_id, 'retry_after_seconds',
              ceil(extract(epoch from c.last_at + m.cooldown_seconds * interval '1 second' - received)))
            into detail from app.cooldowns c
            where c.agent_id = m.agent_id and c.market = m.market and c.symbol = m.symbol and c.direction = m.direction;
          raise sqlstate 'SB000';
        end if;
      end if;

      if m.submission_origin = 'retroactive' then
        insert into app.retroactive_days as r (owner_id, day, used)
          select m.owner_id, (received at time zone 'UTC')::date, 1 where m.retroactive_per_day > 0
          on conflict (owner_id, day) do update set used = r.used + 1 where r.used < m.retroactive_per_day;
        if not found then
          verdict := 'retroactive_quota';
          detail := jsonb_build_object('retry_after_seconds',
            ceil(extract(epoch from date_trunc('day', received, 'UTC') + interval '1 day' - received)));
          raise sqlstate 'SB000';
        end if;
      end if;

      v_state := case when beside.instrument_verified then 'verified' else 'pending_verify' end;
      insert into app.decisions (record_id, owner_id, agent_id, instrument, market, symbol, venue, asset_class,
          quote_currency, submitted_symbol, direction, horizon_kind, horizon_value, analysis_class, perspective_type,
          data_cutoff, submission_time, submission_origin, anchor_time, end_time, settles_at, cohort_key,
          isolation_snapshot_id, workflow_hash, lifecycle_state, due_at)
        values (v_record, m.owner_id, m.agent_id, m.instrument, m.market, m.symbol, m.venue, m.asset_class,
          m.quote_currency, m.submitted_symbol, m.direction, m.horizon_kind, m.horizon_value, m.analysis_class,
          m.perspective_type, m.data_cutoff, received, m.submission_origin, v_anchor, v_end, v_settles,
          case when v_isolated then m.isolated_cohort_key else m.cohort_key end,
          case when v_isolated then beside.circuit_snapshot end,
          case when beside.workflow_found then m.workflow_hash end,
          v_state, case when v_state = 'verified' then v_settles end)
        on conflict do nothing;
      if not found then
        verdict := 'collision';
        raise sqlstate 'SB000';
      end if;

      -- Keys in the order of RFC 8785; the body arrives in that form.
      v_statement := '{"body":' || m.body || ',"record_id":"' || v_record
        || '","submission_time":"' || app.rfc3339(received) || '"}';
      v_commitment := encode(sha256(decode(m.salt, 'hex') || convert_to(v_statement, 'UTF8')), 'hex');
      v_receipt := jsonb_build_object(
        'record_id', v_record,
        'lifecycle_state', v_state,
        'submission_time', app.rfc3339(received),
        'submission_origin', m.submission_origin,
        'cohort_key', case when v_isolated then m.isolated_cohort_key else m.cohort_key end,
        'anchor_time', app.rfc3339(v_anchor),
        'end_time', app.rfc3339(v_end),
        'settles_at', app.rfc3339(v_settles),
        'workflow_hash', case when beside.workflow_found then m.workflow_hash end,
        'commitment', v_commitment,
        'warnings', to_jsonb(m.warnings
          || case when m.workflow_hash is not null and not beside.workflow_found then array['WORKFLOW_REF_UNRESOLVED'] end
          || case beside.circuit_state when 'tripped' then array['PEG_TRIPPED'] when 'warming' then array['PEG_WARMING'] end
          || case when v_state <> 'verified' then array['INSTRUMENT_UNVERIFIED'] end
          || case when beside.history_from > m.history_needed_from then array['INSUFFICIENT_HISTORY'] end));
      insert into app.decision_documents (record_id, submission, statement, salt, commitment, receipt)
        values (v_record, m.body::jsonb, v_statement, decode(m.salt, 'hex'), v_commitment, v_receipt);
      if jsonb_array_length(m.related) > 0 then
        insert into app.decision_relations (record_id, related_id, relation)
          select v_record, r.record_id, r.relation
          from jsonb_to_recordset(m.related) r(record_id text, relation text)
          on conflict do nothing;
      end if;
      verdict := 'accepted';
      detail := v_receipt;
    exception
      when sqlstate 'SB000' then null;
      when lock_not_available or deadlock_detected then verdict := 'busy';
      when others then
        -- A fault of one member, told by its SQLSTATE, is no fault of its neighbours.
        verdict := 'failed';
        detail := to_jsonb(sqlstate);
    end;
    ordinal := m.ordinal;
    received_at := received;
    return next;
  end loop;
end $$;

-- What the service's role may do: it inserts and reads evidence; of a decision only its progress can change.
do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant usage on schema app to %I', service);
  execute format('grant execute on all functions in schema app to %I', service);
  execute format('grant select on all tables in schema app to %I', service);
  execute format('grant insert on app.audit_log, app.circuit_snapshots, app.credit_ledger, app.decision_documents,
    app.decision_outcomes, app.decision_relations, app.decisions, app.workflow_publications, app.workflow_snapshots
    to %I', service);
  execute format('grant update (lifecycle_state, due_at, settles_at, end_time, attempts, last_error, eval_token,
    evaluated_at, result_bucket, created_regime, raw_return, directional_return, mfe, mae, archived_at, archive_reason,
    quarantined_at, quarantine_reason) on app.decisions to %I', service);
  execute format('grant insert, update, delete on app.agents, app.api_keys, app.cooldowns, app.idempotency,
    app.identities, app.instruments, app.legal_acceptances, app.owners, app.quota_checks, app.quota_days,
    app.rate_windows, app.retroactive_days, app.sessions, app.submit_hours, app.workflows to %I', service);
end $$;
