-- The schema as release 0.5.0 left it, without the functions, triggers and views that functions/*.sql makes afterwards.
-- A database of 0.5.0 has it already: this file has the name of the last migration of that release there.

create schema app;

create function app.now() returns timestamptz language sql volatile
  as $$ select date_trunc('milliseconds', clock_timestamp()) $$;

-- As in functions/evidence.sql: for the tables below, and migrations before these functions.
create function app.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% on % is refused: %', tg_op, tg_table_name, coalesce(tg_argv[0], 'its rows are evidence')
    using errcode = '42501';
end $$;

create procedure app.keep_for_ever(evidence regclass) language plpgsql as $$
begin
  execute format('create trigger evidence before update or delete on %s for each row
    execute function app.refuse_change()', evidence);
  execute format('create trigger evidence_whole before truncate on %s execute function app.refuse_change()', evidence);
  execute format('alter table %s enable always trigger evidence, enable always trigger evidence_whole', evidence);
end $$;

-- What the functions of submissions take and return.

create type app.submission as (
  ordinal int, owner_id uuid, agent_id text, key_prefix text, suffix text, instrument text,
  market text, symbol text, venue text, asset_class text, quote_currency text, submitted_symbol text, direction text,
  horizon_kind text, horizon_value int, analysis_class text, perspective_type text, data_cutoff timestamptz,
  submission_origin text, valid_from timestamptz, valid_until timestamptz, anchor_at timestamptz, end_at timestamptz,
  end_after_ms bigint, settles_at timestamptz, settles_after_ms bigint, history_needed_from timestamptz, coin text,
  refuse_tripped boolean, cohort_key text, isolated_cohort_key text, workflow_hash text, related jsonb, warnings text[],
  idempotency_key text, fingerprint text, submits_per_hour int, cooldown_seconds int, retroactive_per_day int,
  body text, salt text, method text, confidence float8
);

create type app.submission_context as (
  circuit_state text,
  circuit_snapshot uuid,
  workflow_found boolean,
  instrument_verified boolean,
  history_from timestamptz,
  related_faults jsonb
);

create type app.judged_submission as (
  -- With the hash of its workflow and the times of its window as they are decided.
  sent app.submission,
  record_id text,
  received timestamptz,
  state text,
  isolation_snapshot_id uuid,
  statement text,
  commitment text,
  receipt jsonb
);

-- Each table follows those that it refers to.

create table app.owners (
  owner_id uuid primary key,
  email text,
  email_folded text unique,
  password_hash text,
  role text not null default 'owner' check (role in ('owner', 'admin')),
  tier text not null default 'free' check (tier in ('free', 'pro')),
  preferences jsonb not null default '{}'::jsonb,
  created_at timestamptz(3) not null,
  suspended_at timestamptz(3),
  email_confirmed_at timestamptz(3),
  erases_at timestamptz(3),
  check ((email is null) = (email_folded is null)),
  constraint owners_check1 check ((email_confirmed_at is null) or (email is not null))
);
comment on column app.owners.suspended_at is 'Set by operators alone; the reason is in the audit log.';
comment on column app.owners.email_confirmed_at is 'When a link that was mailed to the address was used first.';
comment on column app.owners.erases_at is 'When the account will be erased, unless its owner takes that back; null: it stays.';
create index confirmed_owners on app.owners (owner_id) where (email_confirmed_at is not null);
create index owners_to_erase on app.owners (erases_at) where (erases_at is not null);

create table app.agents (
  agent_id text primary key check (agent_id ~ '^agt_[0-9a-f]{12}$'),
  owner_id uuid not null references app.owners on delete cascade,
  name text not null,
  created_at timestamptz(3) not null,
  archived_at timestamptz(3)
);
comment on column app.agents.archived_at is 'Archived: without keys, and not counted for the limit of the tier.';
create index agents_owner_id_idx on app.agents (owner_id);

create table app.agent_counts (
  agent_id text primary key references app.agents on delete cascade,
  tallies jsonb not null,
  cached_at timestamptz(3) not null
);
comment on table app.agent_counts is 'A cache: whatever is removed is counted again.';

create table app.api_keys (
  key_prefix text primary key,
  key_hash bytea not null unique check (length(key_hash) = 32),
  owner_id uuid not null references app.owners on delete cascade,
  agent_id text references app.agents on delete cascade,
  permission_mode text not null check (permission_mode in ('read_write', 'read_only')),
  label text,
  created_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  second_start timestamptz(3) not null default '-infinity'::timestamptz,
  second_used int not null default 0,
  minute_used int not null default 0,
  admitted int not null default 0,
  suspended boolean not null default false,
  expires_at timestamptz(3),
  allowed_networks text[] check (((allowed_networks)::cidr[] is null) or (cardinality(allowed_networks) > 0)),
  expiry_noted boolean not null default false,
  check ((not suspended) or (revoked_at is not null))
) with (fillfactor = 50);
comment on column app.api_keys.second_start is 'The last second in which a request of the key was counted; minute_used counts in its minute.';
comment on column app.api_keys.admitted is 'Requests that the last update counted: the update returns it. Negative: the bounds of the key refused them.';
comment on column app.api_keys.suspended is 'Revoked by the suspension of its owner, and restored at its end.';
comment on column app.api_keys.expires_at is 'From then on the key is refused; null: it works until it is revoked.';
comment on column app.api_keys.allowed_networks is 'The networks whose requests are accepted, as networkText of domain/networks.ts writes them; null: all.';
comment on column app.api_keys.expiry_noted is 'Its event key.expiring is written.';
create index api_keys_expiring on app.api_keys (expires_at)
  where ((expires_at is not null) and (revoked_at is null) and (not expiry_noted));
create unique index api_keys_in_use on app.api_keys (key_prefix, permission_mode, revoked_at);
create index api_keys_of_agent on app.api_keys (agent_id);
create index api_keys_owner_id_idx on app.api_keys (owner_id) where (revoked_at is null);

create table app.api_key_uses (
  key_prefix text primary key references app.api_keys on delete cascade,
  last_used_at timestamptz(3) not null,
  network text check (length(network) <= 64)
) with (fillfactor = 70);
comment on column app.api_key_uses.network is 'A keyed hash, as in app.security_events.';

create table app.applied_functions (
  only_one boolean default true primary key check (only_one),
  edition int not null check (edition > 0),
  hash text not null,
  applied_at timestamptz(3) not null,
  cells_filled_at timestamptz(3)
);
comment on column app.applied_functions.edition is 'Lines of adapters/postgres/functions/editions.txt: a release of a lower edition leaves the functions as they are.';
comment on column app.applied_functions.hash is 'SHA-256 of the files.';
comment on column app.applied_functions.cells_filled_at is 'When track_cells and workflow_cells were filled from records that are older than their triggers.';

create table app.asked_questions (
  owner_id uuid references app.owners on delete cascade,
  question bytea check (length(question) = 32),
  first_asked_at timestamptz(3) not null default app.now(),
  primary key (owner_id, question)
);

create table app.atlas (
  only_one boolean default true primary key check (only_one),
  generated_at timestamptz(3) not null,
  records bigint not null check (records >= 0),
  min_producers int not null,
  min_samples int not null,
  network_of_realtime json not null,
  network_of_all json not null,
  owner_proof text not null default 'none'
);
comment on column app.atlas.records is 'Public records when it was built.';

create table app.atlas_requests (
  at timestamptz(3) not null default app.now()
);
comment on table app.atlas_requests is 'Reasons for another atlas: an operator asked, or a public record left or came back. A build takes away those that it sees and no later one, without a lock that anybody else waits for.';

create table app.atlas_seeds (
  scope text check (scope in ('realtime', 'all')),
  place int,
  record_id text not null,
  instrument text not null,
  departures bigint not null,
  nodes text[] not null,
  seed json not null,
  primary key (scope, place)
);
comment on table app.atlas_seeds is 'Public records that the atlas shows, in their order.';
comment on column app.atlas_seeds.departures is 'Which graded records of the instrument and the scope were under quarantine when it was built, as one number: once they are others, the counts told are not those of the cohort.';

create table app.audit_log (
  seq bigint generated always as identity primary key,
  at timestamptz(3) not null,
  actor text not null,
  action text not null,
  subject text not null,
  detail jsonb not null default '{}'::jsonb,
  previous text not null unique,
  seal text not null
);
comment on column app.audit_log.previous is 'The seal of the entry before; 64 zeros for the first.';
comment on column app.audit_log.seal is 'SHA-256 of the entry with previous, hex.';
create index audit_log_action_seq_idx on app.audit_log (action, seq);
create index audit_log_actor_seq_idx on app.audit_log (actor, seq);
create index audit_log_subject_seq_idx on app.audit_log (subject, seq);
call app.keep_for_ever('app.audit_log');

create table app.bar_stretches (
  stretch_id bigint generated always as identity primary key,
  series text not null,
  basis bigint not null,
  fetch_id uuid not null,
  since bigint not null,
  until bigint not null,
  bars text not null,
  check (since < until)
);
comment on table app.bar_stretches is 'Bars that were fetched once. Whatever is removed is fetched again: evidence stands in evidence_bars.';
comment on column app.bar_stretches.since is 'Epoch milliseconds: bars has every bar that there is within [since, until).';
create index bar_stretches_series_basis_until_idx on app.bar_stretches (series, basis, until);

create table app.circuit_monitors (
  coin text primary key check (coin in ('USDT', 'USDC')),
  looked_at timestamptz(3),
  below_since timestamptz(3),
  above_since timestamptz(3),
  trip_since timestamptz(3),
  at_once int not null default 0 check (at_once >= 0)
);
comment on table app.circuit_monitors is 'One row for each coin: the lock of its circuit, and the runs of its observations.';

create table app.circuit_snapshots (
  seq bigint generated always as identity primary key,
  id uuid not null unique,
  coin text not null check (coin in ('USDT', 'USDC')),
  from_state text not null check (from_state in ('normal', 'warming', 'tripped')),
  state text not null check (state in ('normal', 'warming', 'tripped')),
  cause text not null check (cause in ('trip', 'resolve', 'auto_trip', 'relapse', 'recovery')),
  actor text not null,
  reason text,
  justification text,
  evidence_urls text[],
  at timestamptz(3) not null,
  check (case cause
    when 'resolve' then ((from_state = 'warming') and (state = 'normal') and (reason is null)
      and (justification is not null) and (coalesce(cardinality(evidence_urls), 0) > 0))
    when 'recovery' then ((from_state = 'tripped') and (state = 'warming') and (reason is not null))
    else ((state = 'tripped') and (reason is not null))
  end)
);
create index circuit_snapshots_coin_seq_idx on app.circuit_snapshots (coin, seq desc);
call app.keep_for_ever('app.circuit_snapshots');

create table app.cohort_rollups (
  rollup smallint primary key,
  grain text not null,
  period text not null check (period in ('all', 'year', 'month', 'day', 'six_hours')),
  clock text not null check (clock in ('data_cutoff', 'evaluated_at')),
  finer smallint references app.cohort_rollups,
  symbol boolean not null,
  venue boolean not null,
  asset_class boolean not null,
  quote_currency boolean not null,
  cohort_key boolean not null,
  direction boolean not null,
  analysis_class boolean not null,
  horizon_kind boolean not null,
  horizon_value boolean not null,
  markets text[],
  without_last_graded text[] not null default '{}'::text[],
  unique (grain, period, clock),
  check (finer > rollup)
);
comment on table app.cohort_rollups is 'Which columns the cells of a rollup keep apart beside market, perspective, bucket and origin, and by which periods of which time.';
comment on column app.cohort_rollups.finer is 'The rollup that its cells add up from: by shorter periods, or of more columns. It has a higher number.';
comment on column app.cohort_rollups.markets is 'The markets that it has cells of; null for all.';
comment on column app.cohort_rollups.without_last_graded is 'Markets with cells of an earlier release, which lack last_graded.';

create table app.cohort_cells (
  rollup smallint references app.cohort_rollups,
  market text collate "C",
  symbol text collate "C",
  venue text collate "C",
  asset_class text collate "C",
  quote_currency text collate "C",
  cohort_key text collate "C",
  direction text collate "C",
  analysis_class text collate "C",
  horizon_kind text collate "C",
  horizon_value int,
  since timestamptz,
  perspective_type text collate "C",
  result_bucket text collate "C",
  submission_origin text collate "C",
  n bigint not null check (n > 0),
  earliest timestamptz not null,
  latest timestamptz not null,
  owners uuid[] not null check ((cardinality(owners) >= 1) and (cardinality(owners) <= 32)),
  moves bigint[] not null default '{0,0,0,0,0,0,0,0,0,0,0}'::bigint[] check (cardinality(moves) = 11),
  method text collate "C" default 'eval/1',
  grid text collate "C" default '',
  last_graded timestamptz,
  primary key (rollup, market, symbol, venue, asset_class, quote_currency, cohort_key, direction, analysis_class,
    horizon_kind, horizon_value, since, perspective_type, result_bucket, submission_origin, method, grid)
) with (fillfactor = 85);
comment on table app.cohort_cells is 'Counts of public records that have left the tail. A column that the rollup does not keep is empty (-1, -infinity).';
comment on column app.cohort_cells.earliest is 'Of data_cutoff, as is latest.';
comment on column app.cohort_cells.owners is 'The first 32 of them, ascending. No more than whether there are enough is ever told.';
comment on column app.cohort_cells.moves is 'Records by the range of their move. The sum is less than n until all of them have one.';
comment on column app.cohort_cells.grid is 'Empty for records that have none.';
comment on column app.cohort_cells.last_graded is 'The last evaluated_at; null where a cell of an earlier release does not have it.';

create table app.cohort_tail (
  record_id text primary key,
  owner_id uuid not null,
  market text not null,
  symbol text not null,
  venue text not null,
  asset_class text not null,
  quote_currency text not null,
  cohort_key text not null,
  direction text not null,
  analysis_class text not null,
  horizon_kind text not null,
  horizon_value int not null,
  perspective_type text not null,
  result_bucket text not null,
  submission_origin text not null,
  data_cutoff timestamptz(3) not null,
  evaluated_at timestamptz(3) not null,
  move smallint,
  method text not null default 'eval/1',
  grid text not null default ''
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
comment on table app.cohort_tail is 'Public records that the cells do not count yet.';

create table app.cooldowns (
  agent_id text,
  market text,
  symbol text,
  direction text,
  last_at timestamptz(3) not null,
  record_id text not null,
  primary key (agent_id, market, symbol, direction)
);

create table app.credit_ledger (
  record_id text primary key,
  owner_id uuid not null,
  day date not null,
  amount int not null,
  with_grade boolean not null default false
);
comment on column app.credit_ledger.with_grade is 'Written by the statement of the grade, whose event stands for both; else the credit has an event of its own.';

create table app.datasets (
  month text primary key check (month ~ '^\d{4}-(0[1-9]|1[0-2])$'),
  made_at timestamptz(3) not null default app.now()
);
comment on table app.datasets is 'Public snapshots, by the UTC month in which each was made; they stay as they are.';
call app.keep_for_ever('app.datasets');

create table app.dataset_files (
  month text references app.datasets,
  name text,
  place smallint not null,
  bytes bigint not null,
  sha256 bytea not null,
  primary key (month, name)
);
comment on table app.dataset_files is 'The files of a snapshot, in their order.';
call app.keep_for_ever('app.dataset_files');

create table app.dataset_parts (
  month text references app.datasets,
  name text,
  part int,
  content bytea not null,
  primary key (month, name, part)
);
comment on table app.dataset_parts is 'The bytes of a file, in parts of at most 1 MiB.';
call app.keep_for_ever('app.dataset_parts');

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
  lifecycle_state text not null
    check (lifecycle_state in ('pending_verify', 'verified', 'rejected', 'evaluating', 'deferred', 'data_unavailable',
      'evaluated', 'quarantined')),
  due_at timestamptz(3),
  attempts int not null default 0,
  last_error text,
  eval_token uuid,
  evaluated_at timestamptz(3),
  result_bucket text,
  created_regime jsonb,
  raw_return float8,
  directional_return float8,
  mfe float8,
  mae float8,
  archived_at timestamptz(3),
  archive_reason text,
  quarantined_at timestamptz(3),
  quarantine_reason text,
  listed_at timestamptz(3),
  listed_xid xid8,
  move smallint,
  method text not null default 'eval/1',
  grid text,
  cohort_exception text,
  check (anchor_time < end_time),
  constraint decisions_check1 check ((lifecycle_state in ('verified', 'evaluating',
    'deferred')) = (due_at is not null)),
  constraint decisions_check2 check ((lifecycle_state = 'evaluating') = (eval_token is not null)),
  constraint decisions_check3 check ((lifecycle_state <> 'evaluated') or ((evaluated_at is not null)
    and (result_bucket is not null)))
);
comment on column app.decisions.due_at is 'When a sweep has to act: settled, to be retried, or the lease of an evaluation is over.';
comment on column app.decisions.listed_at is 'When the record was last made public; null while it is not.';
comment on column app.decisions.listed_xid is 'The transaction that made it public.';
comment on column app.decisions.move is 'moveRange of domain/grading/had-said.ts; null without an outcome, and until the sweep has read an older one.';
comment on column app.decisions.method is 'Fixed at receipt. A release that does not know it leaves the record alone.';
comment on column app.decisions.grid is 'fine or coarse: gridOf of domain/grading/grid.ts; null without an outcome that measures it.';
comment on column app.decisions.cohort_exception is 'cohortException of domain/grading/cohort-exception.ts; null for a record that cohorts count by its origin.';
create index decisions_due on app.decisions (due_at) where (due_at is not null);
create index decisions_failed on app.decisions (instrument)
  where (lifecycle_state in ('rejected', 'data_unavailable'));
create index decisions_of_agent on app.decisions (agent_id, submission_time desc, record_id desc);
create index decisions_of_owner on app.decisions (owner_id, submission_time desc, record_id desc);
create index decisions_unverified on app.decisions (instrument) where (lifecycle_state = 'pending_verify');
create index decisions_without_move on app.decisions (record_id) where ((raw_return is not null) and (move is null));
create index departed_by_instrument on app.decisions (instrument)
  where ((lifecycle_state = 'quarantined') and (evaluated_at is not null));
create index evaluated_of_owner on app.decisions (owner_id, evaluated_at) where (evaluated_at is not null);
create index graded_of_agent on app.decisions (agent_id, submission_origin) where (lifecycle_state = 'evaluated');
create index public_by_cohort_key on app.decisions (cohort_key, data_cutoff, record_id, market, venue, quote_currency,
  perspective_type, horizon_kind, horizon_value, result_bucket, submission_origin, evaluated_at, owner_id, move,
  method, grid, cohort_exception)
  where (lifecycle_state = 'evaluated');
create index public_by_direction on app.decisions (market, analysis_class, direction, data_cutoff, record_id,
  perspective_type, grid)
  where (lifecycle_state = 'evaluated');
create index public_by_evaluation on app.decisions (market, evaluated_at) where (lifecycle_state = 'evaluated');
create index public_by_horizon on app.decisions (market, horizon_value, data_cutoff, record_id, horizon_kind,
  analysis_class, direction, perspective_type, venue, asset_class, quote_currency, result_bucket, submission_origin,
  evaluated_at, owner_id, move, method, grid, cohort_exception)
  where (lifecycle_state = 'evaluated');
create index public_by_instrument on app.decisions (instrument, data_cutoff, record_id, analysis_class, direction,
  perspective_type, horizon_kind, horizon_value, result_bucket, submission_origin, evaluated_at, owner_id, move,
  method, grid, cohort_exception)
  where (lifecycle_state = 'evaluated');
create index public_by_market on app.decisions (market, data_cutoff, record_id, analysis_class, direction,
  perspective_type, horizon_kind, horizon_value, venue, asset_class, quote_currency, symbol, result_bucket,
  submission_origin, evaluated_at, owner_id, move, method, grid, cohort_exception)
  where (lifecycle_state = 'evaluated');
create index public_by_symbol on app.decisions (market, symbol, data_cutoff, record_id, venue, asset_class,
  quote_currency, analysis_class, direction, perspective_type, horizon_kind, horizon_value, result_bucket,
  submission_origin, evaluated_at, owner_id, move, method, grid, cohort_exception)
  where (lifecycle_state = 'evaluated');
create index public_by_venue on app.decisions (market, venue, data_cutoff, record_id, asset_class, quote_currency,
  analysis_class, direction, perspective_type, horizon_kind, horizon_value, result_bucket, submission_origin,
  evaluated_at, owner_id, move, method, grid, cohort_exception)
  where (lifecycle_state = 'evaluated');
create index public_by_workflow on app.decisions (workflow_hash, data_cutoff, record_id)
  where ((lifecycle_state = 'evaluated') and (workflow_hash is not null));
create index public_by_workflow_owner on app.decisions (workflow_hash, owner_id, submission_time)
  where ((lifecycle_state = 'evaluated') and (workflow_hash is not null));
create index public_coarse on app.decisions (market, data_cutoff, record_id)
  where ((lifecycle_state = 'evaluated') and (grid = 'coarse'));
create index quarantined_by_submission on app.decisions (submission_time desc, record_id desc)
  where (lifecycle_state = 'quarantined');
create index ungraded_by_symbol on app.decisions (market, symbol)
  where (lifecycle_state in ('rejected', 'data_unavailable'));
create index unsettled_of_owner on app.decisions (owner_id, lifecycle_state)
  where (lifecycle_state in ('pending_verify', 'evaluating', 'deferred'));
create statistics app.horizons_of_markets (dependencies) on market, horizon_kind, horizon_value from app.decisions;
create statistics app.symbols_of_markets (dependencies) on market, symbol from app.decisions;
create statistics app.venues_of_markets (dependencies) on market, venue, asset_class, quote_currency from app.decisions;

create table app.decision_documents (
  record_id text,
  submission jsonb,
  statement text not null,
  salt bytea,
  commitment text not null,
  receipt jsonb not null,
  confidence float8,
  received jsonb not null,
  primary key (record_id),
  foreign key (record_id) references app.decisions,
  check (commitment = encode(sha256((salt || convert_to(statement, 'UTF8'))), 'hex')),
  check (length(salt) = 32)
) partition by range (record_id);
comment on column app.decision_documents.submission is 'Of records of 0.4.0: the body of their statement once more. Null in others.';
comment on column app.decision_documents.statement is 'What was said and when, in RFC 8785 form: the text that the commitment seals.';
comment on column app.decision_documents.salt is 'Null once the owner was erased: the statement is then what app.erased_statement left of it.';
comment on column app.decision_documents.confidence is 'That of the body of the statement; null without one.';
comment on column app.decision_documents.received is 'Columns of app.decisions that neither statement nor receipt have.';
create index documents_with_confidence on ONLY app.decision_documents (record_id)
  include (confidence) where (confidence is not null);
call app.keep_for_ever('app.decision_documents');

create table app.decision_outcomes (
  record_id text,
  facts jsonb not null,
  owner_facts jsonb not null,
  bars jsonb,
  evaluated_at timestamptz(3) not null,
  result_bucket text not null,
  created_regime jsonb,
  primary key (record_id),
  foreign key (record_id) references app.decisions
) partition by range (record_id);
comment on column app.decision_outcomes.bars is 'The path of outcomes from before their evidence was kept; else null: see outcome_evidence.';
call app.keep_for_ever('app.decision_outcomes');

create table app.decision_relations (
  record_id text references app.decisions,
  related_id text references app.decisions,
  relation text,
  primary key (record_id, related_id, relation)
);
create index decision_relations_related_id_idx on app.decision_relations (related_id);
call app.keep_for_ever('app.decision_relations');

create table app.device_sign_ins (
  code_hash bytea primary key check (length(code_hash) = 32),
  sealed_code bytea not null,
  status text not null check (status in ('pending', 'approved', 'denied', 'expired', 'spent', 'consumed')),
  owner_id uuid references app.owners on delete cascade,
  poll_every int not null check (poll_every > 0),
  next_poll_at timestamptz(3) not null,
  lease_token uuid,
  lease_until timestamptz(3),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  check ((owner_id is not null) = (status in ('approved', 'consumed'))),
  constraint device_sign_ins_check1 check ((lease_token is null) = (lease_until is null)),
  constraint device_sign_ins_check2 check ((lease_token is null) or (status = 'pending'))
);
comment on column app.device_sign_ins.sealed_code is 'Opened by the device code alone, of which only the hash is here.';
comment on column app.device_sign_ins.poll_every is 'Milliseconds.';
create index device_sign_ins_owner_id_idx on app.device_sign_ins (owner_id);

create table app.erasures (
  owner_id uuid primary key,
  removed_at timestamptz(3) not null default app.now(),
  after_record text,
  has_skipped boolean not null default false,
  records bigint not null default 0,
  ended_at timestamptz(3)
);
comment on table app.erasures is 'Owners whose accounts are gone, and what they wrote with them; the rows stay.';
comment on column app.erasures.after_record is 'The last record that the pass over the records of the owner has reached.';
comment on column app.erasures.has_skipped is 'The pass left out records that were in use, so there will be another one.';
comment on column app.erasures.records is 'Records whose text is erased.';

create table app.events (
  seq bigint generated always as identity (increment by 2) primary key,
  position bigint not null,
  id uuid not null default gen_random_uuid(),
  at timestamptz(3) not null default app.now(),
  type text not null,
  owner_id uuid,
  agent_id text,
  data jsonb,
  record_id text,
  state text,
  result_bucket text
);
comment on column app.events.seq is 'The next number is that of the credit, where a row stands for a grade and its credit.';
comment on column app.events.position is 'Not before the transaction that wrote the row, and after each that had committed by then; see app.event_position.';
comment on column app.events.owner_id is 'Null for what concerns everybody.';
comment on column app.events.data is 'Null for events of decisions: made of record_id, agent_id, state and result_bucket.';
create index events_of_owner on app.events (owner_id, "position", seq);

create table app.evidence_bars (
  digest text primary key,
  content text not null,
  constraint digest_of_content check (digest = encode(sha256(convert_to(content, 'UTF8')), 'hex'))
);
comment on table app.evidence_bars is 'Stretches of bars that outcomes were computed from; outcomes share them.';
call app.keep_for_ever('app.evidence_bars');

create table app.expiry_passes (
  table_name text primary key,
  page bigint not null default 0,
  began_at timestamptz(3) not null,
  clean_until timestamptz(3),
  deleted bigint not null default 0
);
comment on column app.expiry_passes.page is 'The first page of the table that the pass has not reached.';
comment on column app.expiry_passes.clean_until is 'When the last whole pass began.';

create table app.idempotency (
  agent_id text,
  key text,
  fingerprint bytea not null check (length(fingerprint) = 32),
  record_id text not null,
  created_at timestamptz(3) not null,
  primary key (agent_id, key)
);

create table app.identities (
  issuer text,
  subject text,
  owner_id uuid not null references app.owners on delete cascade,
  created_at timestamptz(3) not null,
  primary key (issuer, subject)
);
create index identities_owner_id_idx on app.identities (owner_id);

create table app.instrument_refreshes (
  instrument text primary key,
  job_id uuid not null unique,
  market text not null,
  symbol text not null,
  venue text not null,
  asset_class text not null,
  quote_currency text not null,
  requested_at timestamptz(3) not null
);
comment on table app.instrument_refreshes is 'Instruments to be asked for whatever is known of them; a row goes when that is done.';

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

create table app.job_runs (
  job text primary key,
  last_started_at timestamptz(3),
  last_succeeded_at timestamptz(3),
  last_failed_at timestamptz(3),
  last_error text,
  failures int not null check (failures >= 0)
);
comment on column app.job_runs.failures is 'Failed runs since the last one that succeeded.';

create table app.legal_acceptances (
  owner_id uuid not null references app.owners on delete cascade,
  accepted_at timestamptz(3) not null,
  terms_version text not null,
  privacy_version text not null,
  source text not null,
  seq bigint generated always as identity primary key
);
create index legal_acceptances_owner_id_seq_idx on app.legal_acceptances (owner_id, seq desc);

create table app.limits_floor (
  only_one boolean default true primary key check (only_one),
  at timestamptz(3) not null
);
comment on table app.limits_floor is 'Counters from before it have been forgotten, so no window and no day before it opens again.';

create table app.logs (
  log int primary key check (log > 0),
  origin text not null unique,
  key_id text not null,
  started_at timestamptz(3) not null default app.now()
);
call app.keep_for_ever('app.logs');

create table app.log_bundles (
  log int references app.logs,
  index bigint,
  leaves bytea not null,
  primary key (log, index)
);

create table app.log_checkpoints (
  log int references app.logs,
  size bigint,
  root bytea not null,
  signature bytea,
  signed_at timestamptz(3),
  key_id text,
  served_from timestamptz(3),
  witnessed_at timestamptz(3),
  primary key (log, size)
);
comment on table app.log_checkpoints is 'The tree after each batch: at one size, one root. It is signed once it is stored.';
comment on column app.log_checkpoints.key_id is 'Of the signature; null: the key of app.logs.';
comment on column app.log_checkpoints.served_from is 'Before, it is served only with a quorum of witnesses.';
create index log_checkpoints_witnessed on app.log_checkpoints (log, size) where (witnessed_at is not null);

create table app.log_datasets (
  log int references app.logs,
  index bigint,
  month text not null unique references app.datasets,
  primary key (log, index)
);
comment on table app.log_datasets is 'The leaf that commits to the SHA256SUMS of a snapshot.';
call app.keep_for_ever('app.log_datasets');

create table app.log_decisions (
  record_id text,
  log int references app.logs,
  index bigint not null,
  public_salt bytea not null,
  producer bytea not null,
  primary key (record_id, log),
  unique (log, index)
);
call app.keep_for_ever('app.log_decisions');

create table app.log_heads (
  log int references app.logs,
  index bigint,
  day date not null,
  seq bigint not null,
  seal text not null,
  salt bytea not null,
  primary key (log, index),
  unique (log, day)
);
comment on table app.log_heads is 'The head of the audit log at the first batch of a day, and the index of its leaf.';
call app.keep_for_ever('app.log_heads');

create table app.log_keys (
  log int references app.logs,
  key_id text,
  public_key bytea not null check (length(public_key) = 32),
  since timestamptz(3) not null default app.now(),
  primary key (log, key_id)
);
call app.keep_for_ever('app.log_keys');

create table app.log_outcomes (
  record_id text,
  log int references app.logs,
  index bigint not null,
  outcome_salt bytea not null,
  evidence_salt bytea not null,
  evidence bytea not null,
  shown jsonb not null,
  primary key (record_id, log)
);
comment on column app.log_outcomes.shown is 'The facts that others see with another value: a calendar may change later.';
call app.keep_for_ever('app.log_outcomes');

create table app.log_pending (
  record_id text,
  seq bigint generated by default as identity,
  event text not null check (event in ('decision', 'imported', 'outcome', 'closed', 'reopened')),
  reason text,
  imported boolean not null default false,
  ready_at timestamptz(3) not null,
  primary key (record_id, seq)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
comment on table app.log_pending is 'What happened to decisions and has no leaf yet; triggers write it.';
create index log_pending_ready on app.log_pending (imported, ready_at);

create table app.log_pending_plans (
  plan_id uuid primary key,
  imported boolean not null default false,
  ready_at timestamptz(3) not null
);
comment on table app.log_pending_plans is 'Plans that have no leaf in the newest log yet; a trigger writes it.';
create index log_pending_plans_ready on app.log_pending_plans (imported, ready_at);

create table app.log_plans (
  plan_id uuid,
  log int references app.logs,
  index bigint not null,
  primary key (plan_id, log),
  unique (log, index)
);
call app.keep_for_ever('app.log_plans');

create table app.log_signatures (
  log int,
  size bigint,
  name text,
  key_id text,
  signature bytea not null,
  at timestamptz(3) not null default app.now(),
  primary key (log, size, name, key_id),
  foreign key (log, size) references app.log_checkpoints
);
comment on table app.log_signatures is 'By witnesses, the first of each; by a second key of the log while it changes its key.';
call app.keep_for_ever('app.log_signatures');

create table app.log_tiles (
  log int references app.logs,
  level smallint,
  index bigint,
  hashes bytea not null,
  primary key (log, level, index)
);
alter table app.log_tiles alter column hashes set storage external;

create table app.log_witnesses (
  log int references app.logs,
  name text,
  key_id text,
  size bigint not null,
  signature bytea,
  cosigned_at timestamptz(3),
  refused boolean not null,
  primary key (log, name, key_id)
);
comment on table app.log_witnesses is 'The newest cosignature of each witness, and whether it refused a checkpoint since.';

create table app.login_attempts (
  account_hash bytea primary key check (length(account_hash) = 32),
  window_start timestamptz(3) not null,
  used int not null check (used >= 0)
);
comment on table app.login_attempts is 'Attempts in a fixed window, that failed or are under way, by a hash of what is counted: logins to an account, of a known device or network, password changes of an owner, new accounts of a network and of all.';

create table app.mails (
  mail_id uuid primary key,
  kind text not null check (kind ~ '^[a-z_]{1,40}$'),
  on_request boolean not null,
  owner_id uuid references app.owners on delete set null,
  address_hash bytea not null,
  content bytea,
  status text not null default 'pending' check (status in ('pending', 'sent', 'failed', 'void')),
  attempts int not null default 0 check (attempts >= 0),
  failure text check (failure ~ '^[a-z_]{1,40}$'),
  due_at timestamptz(3) default app.now(),
  token uuid,
  created_at timestamptz(3) not null default app.now(),
  expires_at timestamptz(3) not null,
  ended_at timestamptz(3),
  check ((status = 'pending') = (due_at is not null)),
  constraint mails_check1 check ((status = 'pending') = (content is not null)),
  constraint mails_check2 check ((status = 'pending') = (ended_at is null)),
  constraint mails_check3 check ((token is null) or (status = 'pending'))
);
comment on column app.mails.on_request is 'Somebody asked for it, and no preference switches it off; else it is a notice.';
comment on column app.mails.owner_id is 'Null also before it is known whether the address has an account.';
comment on column app.mails.address_hash is 'A keyed hash of the folded address.';
comment on column app.mails.content is 'Address and facts, sealed under a key that derives from SESSION_SECRET; removed at its end.';
comment on column app.mails.token is 'Of the process that sends it, until due_at.';
create index mails_due on app.mails (due_at) where (status = 'pending');
create index mails_of_owner on app.mails (owner_id);
create index mails_to_address on app.mails (address_hash, created_at);

create table app.one_time_links (
  token_hash bytea primary key,
  owner_id uuid not null references app.owners on delete cascade,
  purpose text not null check (purpose ~ '^[a-z_]{1,40}$'),
  bound_to bytea not null,
  mailed boolean not null,
  created_at timestamptz(3) not null default app.now(),
  expires_at timestamptz(3) not null,
  unique (owner_id, purpose)
);
comment on table app.one_time_links is 'An owner has one link of a purpose: a new one replaces it.';
comment on column app.one_time_links.bound_to is 'A hash of what the link is for, such as the password that it replaces.';
comment on column app.one_time_links.mailed is 'Sent to the address of the owner alone, so that its use confirms the address.';

create table app.outcome_evidence (
  record_id text,
  digest text not null,
  document text not null,
  path_bars text[] not null,
  daily_bars text[] not null,
  primary key (record_id),
  foreign key (record_id) references app.decisions,
  constraint digest_of_document check (digest = encode(sha256(convert_to(document, 'UTF8')), 'hex'))
) partition by range (record_id);
comment on column app.outcome_evidence.path_bars is 'Digests of evidence_bars in the order of time, as the document names them.';
call app.keep_for_ever('app.outcome_evidence');

create table app.passkey_challenges (
  challenge_hash bytea primary key check (length(challenge_hash) = 32),
  bound_to bytea not null check (length(bound_to) = 32),
  purpose text not null check (purpose in ('login', 'registration')),
  created_at timestamptz(3) not null
);
comment on column app.passkey_challenges.bound_to is 'The hash of what only the client of the request has.';

create table app.passkeys (
  passkey_id uuid primary key,
  owner_id uuid not null references app.owners on delete cascade,
  credential_id text not null unique check ((length(credential_id) >= 1) and (length(credential_id) <= 1366)),
  public_key bytea not null check ((length(public_key) >= 1) and (length(public_key) <= 4096)),
  counter bigint not null check (counter >= 0),
  name text not null check ((length(name) >= 1) and (length(name) <= 80)),
  synced boolean not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3)
);
comment on column app.passkeys.credential_id is 'In base64url: up to 1023 bytes (WebAuthn level 3, 6.5.1).';
comment on column app.passkeys.counter is 'The signature counter of the last login; 0 of an authenticator that does not count.';
create index passkeys_of_owner on app.passkeys (owner_id);

create table app.peg_observations (
  seq bigint generated always as identity primary key,
  coin text not null references app.circuit_monitors,
  price float8 not null check (price > (0)::double precision),
  drift_bps float8 not null check (drift_bps >= (0)::double precision),
  sources jsonb not null,
  observed_at timestamptz(3) not null
);
comment on column app.peg_observations.sources is 'What the median is of: source, price, at.';
create index peg_observations_coin_observed_at_idx on app.peg_observations (coin, observed_at);
create index peg_observations_coin_seq_idx on app.peg_observations (coin, seq desc);

create table app.plans (
  plan_id uuid primary key,
  owner_id uuid not null,
  agent_id text not null,
  stated_at timestamptz(3) not null,
  commitment bytea not null check (length(commitment) = 32),
  producer bytea not null check (length(producer) = 32),
  salt bytea check (length(salt) = 32),
  statement text,
  question bytea check (length(question) = 32),
  content bytea check (length(content) = 32),
  check (num_nulls(salt, statement, question, content) in (0, 4))
);
comment on column app.plans.commitment is 'SHA-256 of the salt and the statement; with the producer it makes the leaf.';
comment on column app.plans.salt is 'Null, as is the rest of what was stated, once the owner was erased.';
comment on column app.plans.question is 'SHA-256 of the canonical query.';
comment on column app.plans.content is 'SHA-256 of the canonical query and the sentence.';
create unique index plans_content on app.plans (agent_id, content);
create index plans_of_owner on app.plans (owner_id, stated_at);
create index plans_of_question on app.plans (owner_id, question, stated_at);

create table app.provider_logins (
  state_hash bytea primary key check (length(state_hash) = 32),
  browser_hash bytea not null check (length(browser_hash) = 32),
  nonce text not null,
  code_verifier text not null,
  redirect_uri text not null,
  created_at timestamptz(3) not null,
  is_fresh boolean not null default false
);
comment on table app.provider_logins is 'Browsers that were sent to the identity provider and are not back; a callback takes its row out.';
comment on column app.provider_logins.is_fresh is 'Whether the person has to log in at the provider anew.';

create table app.question_counts (
  owner_id uuid primary key references app.owners on delete cascade,
  asked int not null check (asked > 0)
);
comment on table app.question_counts is 'How many rows of app.asked_questions an owner has.';

create table app.quota_days (
  owner_id uuid,
  day date,
  pool text check (pool in ('query', 'read', 'check')),
  used int not null default 0 check (used >= 0),
  credit int not null default 0 check (credit >= 0),
  record_id text default '',
  base int not null default 0,
  taken int not null default 0,
  primary key (owner_id, day, pool, record_id),
  check ((pool = 'check') = (record_id <> '')),
  constraint quota_days_check1 check (used <= (base + credit))
) with (fillfactor = 70);
comment on column app.quota_days.base is 'What the pool held without credit when a unit was last taken.';
comment on column app.quota_days.taken is 'Units that the last statement took, or tried to take when it made the row: the statement returns it.';

create table app.rate_windows (
  subject text primary key,
  second_start timestamptz(3) not null,
  second_used int not null,
  minute_start timestamptz(3) not null,
  minute_used int not null,
  admitted int not null default 0
) with (fillfactor = 50);
comment on column app.rate_windows.admitted is 'Requests that the last statement counted: the statement returns it.';

create table app.record_links (
  record_id text,
  related_id text,
  relations text[] not null,
  owner_id uuid not null,
  data_cutoff timestamptz(3) not null,
  is_shown boolean not null,
  primary key (record_id, related_id)
);
comment on table app.record_links is 'Made from decision_relations and decisions: whatever is removed can be made again.';
comment on column app.record_links.is_shown is 'The source is public now, and what it points to was when it did: others see the link while both are public.';
create index links_of_owner on app.record_links (owner_id, related_id, data_cutoff desc, record_id desc);
create index shown_links on app.record_links (related_id, data_cutoff desc, record_id desc) where is_shown;

create table app.recovery_codes (
  owner_id uuid references app.owners on delete cascade,
  code_hash bytea check (length(code_hash) = 32),
  created_at timestamptz(3) not null default app.now(),
  primary key (owner_id, code_hash)
);
comment on table app.recovery_codes is 'Those that are not used: using one deletes it.';

create unlogged table app.reply_texts (
  record_id text,
  edition text,
  owner_id uuid not null references app.owners on delete cascade,
  owner_text text,
  public_text text,
  read_at timestamptz(3) not null,
  owner_seal text generated always as ("left"(owner_text, 38)) stored,
  public_seal text generated always as ("left"(public_text, 38)) stored,
  primary key (record_id, edition)
) with (fillfactor = 80);
alter table app.reply_texts alter column owner_text set storage external;
alter table app.reply_texts alter column public_text set storage external;
comment on table app.reply_texts is 'Sealed replies about evaluated records. Whatever is removed is computed again.';
comment on column app.reply_texts.edition is 'Of the form of the replies: a release that changes it finds none of the texts.';
comment on column app.reply_texts.owner_id is 'Who reads owner_text instead of public_text; replies about records of removed owners are not stored.';
comment on column app.reply_texts.read_at is 'The last read, to within an hour: the longest unread go first.';
comment on column app.reply_texts.owner_seal is 'The nonce and tag of owner_text; public_seal likewise.';
create index reply_texts_owner_id_idx on app.reply_texts (owner_id);

create table app.retroactive_days (
  owner_id uuid,
  day date,
  used int not null check (used > 0),
  primary key (owner_id, day)
);

create table app.security_events (
  seq bigint generated always as identity primary key,
  counted_from timestamptz(3) not null,
  at timestamptz(3) not null,
  last_at timestamptz(3) not null,
  count int not null check (count > 0),
  kind text not null check (kind ~ '^[a-z_]{1,40}$'),
  result text not null check (result in ('success', 'failure')),
  owner_id uuid,
  actor text check (length(actor) <= 200),
  subject text check (length(subject) <= 200),
  request_id text check (length(request_id) <= 128),
  network text check (length(network) <= 64),
  client text not null check (client ~ '^[a-z_]{1,40}$'),
  constraint security_events_once unique nulls not distinct (counted_from, kind, result, owner_id, actor, subject,
    network, client)
);
comment on column app.security_events.counted_from is 'The minute whose equal events the row counts; the UTC day for what is beyond the rows of a day.';
comment on column app.security_events.network is 'A keyed hash of the /24 or /64 of the caller.';
create index security_events_at_seq_idx on app.security_events (at, seq);
create index security_events_owner_id_at_seq_idx on app.security_events (owner_id, at, seq);

create table app.service_processes (
  process text primary key,
  release text not null,
  answers_requests boolean not null,
  runs_jobs boolean not null,
  started_at timestamptz(3) not null,
  connections jsonb,
  signing text,
  running jsonb not null,
  reported_at timestamptz(3) not null
);
comment on column app.service_processes.connections is 'To the database: in use, idle, and requests that wait for one.';
comment on column app.service_processes.signing is 'Whether it signs the evidence log; null where it does not write it.';
comment on column app.service_processes.running is 'The runs of jobs that have not ended: job and since.';

create table app.sessions (
  session_hash bytea primary key check (length(session_hash) = 32),
  owner_id uuid not null references app.owners on delete cascade,
  created_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  authenticated_at timestamptz(3),
  network text,
  client text,
  provider_session text,
  factor text
);
comment on column app.sessions.authenticated_at is 'The last proof by password or provider; null where the provider gave no time.';
comment on column app.sessions.network is 'A keyed hash, as in app.security_events.';
comment on column app.sessions.provider_session is 'The `sid` of the id token; null for logins by password.';
comment on column app.sessions.factor is 'What the session was opened with besides a password; null: nothing.';
create index sessions_owner_id_idx on app.sessions (owner_id);

create table app.source_health (
  process text,
  source text,
  serves text not null,
  state text not null check (state in ('healthy', 'failing', 'paused', 'never asked', 'closed', 'half_open', 'open')),
  failures int not null,
  last_error_at timestamptz(3),
  last_success_at timestamptz(3),
  told_at timestamptz(3) not null,
  last_error text,
  primary key (process, source)
);
comment on table app.source_health is 'How each process last found its sources; a row that is not renewed is of a process that ended.';
comment on column app.source_health.state is 'closed, half_open and open are written by nodes of the release before.';
comment on column app.source_health.last_error is 'What the last failed request brought, such as "answered 503".';

create table app.submit_hours (
  agent_id text,
  hour timestamptz(3),
  used int not null check (used > 0),
  primary key (agent_id, hour)
);

create table app.symbol_files (
  name text primary key,
  created_at timestamptz(3) not null,
  symbols int not null check (symbols > 0),
  stored_at timestamptz(3) not null
);
comment on column app.symbol_files.created_at is 'The file''s own creation time.';

create table app.symbols (
  symbol text primary key,
  listed_since timestamptz(3) not null,
  delisted_at timestamptz(3)
);
comment on column app.symbols.delisted_at is 'When it was found missing; it stays known, for records about the time before.';

create table app.timelines (
  timeline bigint primary key
);

create table app.totp_secrets (
  owner_id uuid primary key references app.owners on delete cascade,
  secret bytea,
  confirmed_at timestamptz(3),
  last_step int not null default 0 check (last_step >= 0),
  pending bytea,
  pending_at timestamptz(3),
  check ((secret is null) = (confirmed_at is null)),
  constraint totp_secrets_check1 check ((pending is null) = (pending_at is null)),
  constraint totp_secrets_check2 check ((secret is not null) or (pending is not null))
);
comment on column app.totp_secrets.secret is 'Sealed under a key that derives from SESSION_SECRET, as is pending.';
comment on column app.totp_secrets.last_step is 'The newest step of 30 s whose code was accepted.';
comment on column app.totp_secrets.pending is 'Begun at pending_at; its first code makes it the secret.';

create table app.track_cells (
  agent_id text references app.agents on delete cascade,
  facet text collate "C",
  submission_origin text collate "C",
  kind text collate "C",
  key text collate "C",
  result_bucket text collate "C",
  ungraded text collate "C",
  move smallint,
  n bigint not null,
  first timestamptz(3),
  last timestamptz(3),
  primary key (agent_id, facet, submission_origin, kind, key, result_bucket, ungraded, move)
) with (fillfactor = 85);
comment on table app.track_cells is 'Counts of the records of an agent without the changes in track_tail.';
comment on column app.track_cells.kind is 'See app.counted_kinds.';
comment on column app.track_cells.first is 'Of submission_time, as is last; only of the kind received.';

create table app.track_tail (
  record_id text not null,
  agent_id text not null,
  workflow_hash text,
  kind text not null,
  result_bucket text not null,
  ungraded text not null,
  move smallint not null,
  n int not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
comment on table app.track_tail is 'Changes of records that the cells of agents and workflows do not count yet; triggers write it.';
create index track_tail_of_agent on app.track_tail (agent_id);
create index track_tail_of_workflow on app.track_tail (workflow_hash) where (workflow_hash is not null);

create table app.webhooks (
  webhook_id uuid primary key,
  owner_id uuid not null references app.owners on delete cascade,
  url text not null check ((length(url) >= 1) and (length(url) <= 2048)),
  event_types text[] check (cardinality(event_types) > 0),
  description text not null check (length(description) <= 200),
  status text not null default 'active' check (status in ('active', 'disabled', 'gone', 'paused')),
  failures int not null default 0 check (failures >= 0),
  failing_since timestamptz(3),
  waits_until timestamptz(3),
  secret bytea not null,
  former_secret bytea,
  former_until timestamptz(3),
  history text not null,
  position bigint not null,
  seq bigint not null,
  created_at timestamptz(3) not null default app.now(),
  check ((former_secret is null) = (former_until is null))
);
comment on column app.webhooks.event_types is 'Null: all, also those of later releases.';
comment on column app.webhooks.secret is 'Sealed under a key that derives from SESSION_SECRET.';
comment on column app.webhooks.former_secret is 'Also signs before former_until.';
comment on column app.webhooks.position is 'With history and seq: the place in the feed up to which events are deliveries (EventStore of domain/events).';
create index webhooks_of_owner on app.webhooks (owner_id);

create table app.webhook_deliveries (
  seq bigint generated always as identity primary key,
  delivery_id uuid not null default gen_random_uuid() unique,
  webhook_id uuid not null references app.webhooks on delete cascade,
  event_id uuid not null,
  type text not null,
  at timestamptz(3) not null,
  data jsonb not null,
  subject text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  step int not null default 0 check (step >= 0),
  due_at timestamptz(3) default app.now(),
  token uuid,
  attempts jsonb not null default '[]'::jsonb,
  created_at timestamptz(3) not null default app.now(),
  unique (webhook_id, event_id),
  check ((status = 'pending') = (due_at is not null)),
  constraint webhook_deliveries_check1 check ((token is null) or (status = 'pending'))
);
comment on column app.webhook_deliveries.subject is 'What the event is about: an earlier pending row of the same webhook and subject is sent first.';
comment on column app.webhook_deliveries.token is 'Of the process that sends it, until due_at.';
create index webhook_deliveries_due on app.webhook_deliveries (webhook_id, due_at) where (status = 'pending');
create index webhook_deliveries_of_subject on app.webhook_deliveries (webhook_id, subject, seq)
  where (status = 'pending');
create index webhook_deliveries_of_webhook on app.webhook_deliveries (webhook_id, seq);

create table app.workflow_cells (
  workflow_hash text collate "C",
  owner_id uuid,
  kind text collate "C",
  result_bucket text collate "C",
  n bigint not null,
  last timestamptz(3),
  primary key (workflow_hash, owner_id, kind, result_bucket)
) with (fillfactor = 85);
comment on table app.workflow_cells is 'Counts of the records of an owner that name a workflow snapshot, without the changes in track_tail.';
comment on column app.workflow_cells.last is 'Of submission_time; only of the kind received.';

create table app.workflow_snapshots (
  hash text primary key,
  content text not null,
  name_folded text not null,
  name text not null generated always as (((content)::jsonb ->> 'name')) stored,
  description text not null generated always as (((content)::jsonb ->> 'description')) stored,
  tags jsonb not null generated always as (((content)::jsonb -> 'tags')) stored,
  node_count int not null generated always as (jsonb_array_length(((content)::jsonb -> 'nodes'))) stored,
  check (hash = encode(sha256(convert_to(content, 'UTF8')), 'hex'))
);
call app.keep_for_ever('app.workflow_snapshots');

create table app.workflow_publications (
  seq bigint generated always as identity primary key,
  hash text not null references app.workflow_snapshots,
  workflow_id uuid not null,
  owner_id uuid not null,
  visibility text not null check (visibility in ('private', 'public')),
  at timestamptz(3) not null
);
create index publications_of_workflow on app.workflow_publications (workflow_id, seq desc);
create index workflow_publications_hash_visibility_idx on app.workflow_publications (hash, visibility);
call app.keep_for_ever('app.workflow_publications');

create table app.workflows (
  id uuid primary key,
  owner_id uuid not null references app.owners on delete cascade,
  name text not null,
  description text not null,
  tags text[] not null,
  visibility text not null check (visibility in ('private', 'public')),
  version int not null check (version > 0),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  name_folded text not null,
  nodes json not null check (json_typeof(nodes) = 'array'),
  edges json not null check (json_typeof(edges) = 'array'),
  forked_from uuid,
  listed_seq bigint
);
comment on column app.workflows.name_folded is 'The name as it is searched, folded by the service: collations differ between databases.';
comment on column app.workflows.forked_from is 'The workflow that it was copied from, which may be gone.';
comment on column app.workflows.listed_seq is 'Its newest publication for everybody, so that lists need not look for it.';
create index workflow_forks on app.workflows (forked_from) where (forked_from is not null);
create index workflows_owner_id_updated_at_idx on app.workflows (owner_id, updated_at desc);
create index workflows_shown on app.workflows (listed_seq) where (visibility = 'public');

-- The tables with partitions by month: the first one has all records up to the end of this month, the partition default
-- what is in no month, such as ids after a clock that went ahead. Later months: functions/months.sql.
do $$
declare
  month date := date_trunc('month', app.now() at time zone 'UTC');
  evidence text;
  first text;
begin
  foreach evidence in array array['decision_documents', 'decision_outcomes', 'outcome_evidence'] loop
    first := evidence || to_char(month, '_YYYYMM');
    execute format('create table app.%I (like app.%I including all)', first, evidence);
    execute format('alter table app.%I attach partition app.%I for values from (minvalue) to (%L)', evidence, first,
      to_char(month + interval '1 month', '"dec_"YYYYMMDD'));
    execute format('create table app.%I partition of app.%I default', evidence || '_default', evidence);
  end loop;
end $$;

-- Rows that are there from the first day.

insert into app.limits_floor (at) values ('-infinity');

insert into app.circuit_monitors (coin) values ('USDT'), ('USDC');

insert into app.cohort_rollups (rollup, grain, period, clock, finer, symbol, venue, asset_class, quote_currency,
  cohort_key, direction, analysis_class, horizon_kind, horizon_value, markets)
select rollup, grain, period, clock, finer, 'symbol' = any(apart), 'venue' = any(apart), 'asset_class' = any(apart),
  'quote_currency' = any(apart), 'cohort_key' = any(apart), 'direction' = any(apart), 'analysis_class' = any(apart),
  'horizon_kind' = any(apart), 'horizon_value' = any(apart), case when period <> 'all' then '{}'::text[] end
from (values
  (36, 'venue_horizon_periods', 'month', 'data_cutoff', null, '{venue, asset_class, quote_currency, horizon_kind,
    horizon_value}'),
  (35, 'venue_call_periods', 'month', 'data_cutoff', null, '{venue, asset_class, quote_currency, direction,
    analysis_class}'),
  (34, 'venue_periods', 'day', 'data_cutoff', null, '{venue, asset_class, quote_currency}'),
  (33, 'horizon_periods', 'day', 'evaluated_at', null, '{horizon_kind, horizon_value}'),
  (32, 'horizon_periods', 'month', 'evaluated_at', 33, '{horizon_kind, horizon_value}'),
  (31, 'horizon_periods', 'day', 'data_cutoff', null, '{horizon_kind, horizon_value}'),
  (30, 'horizon_periods', 'month', 'data_cutoff', 31, '{horizon_kind, horizon_value}'),
  (29, 'market', 'six_hours', 'evaluated_at', null, '{}'),
  (28, 'market', 'six_hours', 'data_cutoff', null, '{}'),
  (27, 'everything', 'all', 'data_cutoff', null, '{symbol, venue, asset_class, quote_currency, cohort_key, direction,
    analysis_class, horizon_kind, horizon_value}'),
  (26, 'cohort_keys', 'all', 'data_cutoff', null, '{cohort_key}'),
  (25, 'instrument_calls', 'all', 'data_cutoff', 27, '{symbol, venue, asset_class, quote_currency, direction,
    analysis_class}'),
  (24, 'instruments', 'all', 'data_cutoff', 25, '{symbol, venue, asset_class, quote_currency}'),
  (23, 'symbol_horizons', 'all', 'data_cutoff', 27, '{symbol, horizon_kind, horizon_value}'),
  (22, 'symbols', 'month', 'evaluated_at', null, '{symbol}'),
  (21, 'symbols', 'month', 'data_cutoff', null, '{symbol}'),
  (20, 'symbols', 'all', 'data_cutoff', 21, '{symbol}'),
  (19, 'venue_call_horizons', 'all', 'data_cutoff', 27, '{venue, asset_class, quote_currency, direction,
    analysis_class, horizon_kind, horizon_value}'),
  (18, 'venue_horizons', 'all', 'data_cutoff', 19, '{venue, asset_class, quote_currency, horizon_kind, horizon_value}'),
  (17, 'venue_calls', 'all', 'data_cutoff', 19, '{venue, asset_class, quote_currency, direction, analysis_class}'),
  (16, 'venues', 'day', 'evaluated_at', null, '{venue, asset_class, quote_currency}'),
  (15, 'venues', 'month', 'evaluated_at', 16, '{venue, asset_class, quote_currency}'),
  (14, 'venues', 'month', 'data_cutoff', null, '{venue, asset_class, quote_currency}'),
  (13, 'venues', 'all', 'data_cutoff', 14, '{venue, asset_class, quote_currency}'),
  (12, 'horizons', 'month', 'data_cutoff', null, '{direction, analysis_class, horizon_kind, horizon_value}'),
  (11, 'horizons', 'all', 'data_cutoff', 12, '{direction, analysis_class, horizon_kind, horizon_value}'),
  (10, 'calls', 'day', 'evaluated_at', null, '{direction, analysis_class}'),
  (9, 'calls', 'month', 'evaluated_at', 10, '{direction, analysis_class}'),
  (8, 'calls', 'day', 'data_cutoff', null, '{direction, analysis_class}'),
  (7, 'calls', 'month', 'data_cutoff', 8, '{direction, analysis_class}'),
  (6, 'calls', 'all', 'data_cutoff', 7, '{direction, analysis_class}'),
  (5, 'market', 'day', 'evaluated_at', 10, '{}'),
  (4, 'market', 'month', 'evaluated_at', 5, '{}'),
  (3, 'market', 'day', 'data_cutoff', 8, '{}'),
  (2, 'market', 'month', 'data_cutoff', 3, '{}'),
  (1, 'market', 'all', 'data_cutoff', 2, '{}'),
  (-1, 'market_years', 'year', 'data_cutoff', 2, '{}'),
  (-2, 'market_years', 'year', 'evaluated_at', 4, '{}'),
  (-3, 'call_years', 'year', 'data_cutoff', 7, '{direction, analysis_class}'),
  (-4, 'call_years', 'year', 'evaluated_at', 9, '{direction, analysis_class}'),
  (-5, 'venue_years', 'year', 'data_cutoff', 14, '{venue, asset_class, quote_currency}'),
  (-6, 'venue_years', 'year', 'evaluated_at', 15, '{venue, asset_class, quote_currency}'),
  (-7, 'horizon_periods', 'year', 'data_cutoff', 30, '{horizon_kind, horizon_value}'),
  (-8, 'horizon_periods', 'year', 'evaluated_at', 32, '{horizon_kind, horizon_value}'),
  (-9, 'venue_call_periods', 'year', 'data_cutoff', 35, '{venue, asset_class, quote_currency, direction,
    analysis_class}'),
  (-10, 'venue_horizon_periods', 'year', 'data_cutoff', 36, '{venue, asset_class, quote_currency, horizon_kind,
    horizon_value}')
) r (rollup, grain, period, clock, finer, columns), cast(columns as text[]) apart;

-- The rights of the role of the service.
do $$
declare
  service text := current_setting('stancebook.service_role');
  granted record;
begin
  execute format('grant usage on schema app to %I', service);
  for granted in select * from (values
    ('agent_counts', 'select, insert, update (tallies, cached_at)'),
    ('agents', 'select, insert, delete, update (name, archived_at)'),
    ('api_key_uses', 'select, insert, update (last_used_at, network)'),
    ('api_keys', 'select, insert, update (permission_mode, revoked_at, second_start, second_used, minute_used, admitted,
      allowed_networks, expiry_noted)'),
    ('applied_functions', 'select'),
    ('asked_questions', 'select, insert'),
    ('atlas', 'select, insert, update (generated_at, records, min_producers, min_samples, network_of_realtime,
      network_of_all, owner_proof)'),
    ('atlas_requests', 'select, insert, delete'),
    ('atlas_seeds', 'select, insert, delete'),
    ('audit_log', 'select, insert'),
    ('bar_stretches', 'select, insert, delete'),
    ('circuit_monitors', 'select, update (looked_at, below_since, above_since, trip_since, at_once)'),
    ('circuit_snapshots', 'select, insert (id, coin, from_state, state, cause, actor, reason, justification,
      evidence_urls, at)'),
    ('cohort_cells', 'select, insert, delete, update (n, earliest, latest, owners, moves, last_graded)'),
    ('cohort_rollups', 'select, update (markets, without_last_graded)'),
    ('cohort_tail', 'select, insert, delete, update (move)'),
    ('cooldowns', 'select, insert, delete, update (last_at, record_id)'),
    ('credit_ledger', 'select, insert'),
    ('dataset_files', 'select, insert'),
    ('dataset_parts', 'select, insert'),
    ('datasets', 'select, insert'),
    ('decision_documents', 'select, insert'),
    ('decision_outcomes', 'select, insert'),
    ('decision_relations', 'select, insert'),
    ('decisions', 'select, insert, update (end_time, settles_at, lifecycle_state, due_at, attempts, last_error,
      eval_token, evaluated_at, result_bucket, created_regime, raw_return, directional_return, mfe, mae, archived_at,
      archive_reason, quarantined_at, quarantine_reason, move, grid, cohort_exception)'),
    ('device_sign_ins', 'select, insert, delete, update (status, owner_id, poll_every, next_poll_at, lease_token,
      lease_until)'),
    ('erasures', 'select'),
    ('events', 'select, insert, delete'),
    ('evidence_bars', 'select, insert'),
    ('expiry_passes', 'select, insert, update (page, began_at, clean_until, deleted)'),
    ('idempotency', 'select, insert, delete, update (fingerprint, record_id, created_at)'),
    ('identities', 'select, insert'),
    ('instrument_refreshes', 'select, insert, delete, update (job_id, requested_at)'),
    ('instruments', 'select, insert, update (status, listing, history_from, checked_at, retry_at, attempts,
      last_error)'),
    ('job_runs', 'select, insert, update (last_started_at, last_succeeded_at, last_failed_at, last_error, failures)'),
    ('legal_acceptances', 'select, insert'),
    ('limits_floor', 'select, update (at)'),
    ('log_bundles', 'select, insert, update (leaves)'),
    ('log_checkpoints', 'select, insert, update (signature, signed_at, key_id, served_from, witnessed_at)'),
    ('log_datasets', 'select, insert'),
    ('log_decisions', 'select, insert'),
    ('log_heads', 'select, insert'),
    ('log_keys', 'select, insert'),
    ('log_outcomes', 'select, insert'),
    ('log_pending', 'select, insert, delete'),
    ('log_pending_plans', 'select, insert, delete'),
    ('log_plans', 'select, insert'),
    ('log_signatures', 'select, insert'),
    ('log_tiles', 'select, insert, update (hashes)'),
    ('log_witnesses', 'select, insert, update (size, signature, cosigned_at, refused)'),
    ('login_attempts', 'select, insert, delete, update (window_start, used)'),
    ('logs', 'select, insert'),
    ('mails', 'select, insert, delete, update (owner_id, content, status, attempts, failure, due_at, token, ended_at)'),
    ('one_time_links', 'select, insert, delete, update (token_hash, bound_to, mailed, created_at, expires_at)'),
    ('outcome_evidence', 'select, insert'),
    ('owners', 'select, insert, update (password_hash, preferences, email_confirmed_at)'),
    ('passkey_challenges', 'select, insert, delete'),
    ('passkeys', 'select, insert, delete, update (counter, name, synced, last_used_at)'),
    ('peg_observations', 'select, insert, delete'),
    ('plans', 'select, insert'),
    ('provider_logins', 'select, insert, delete'),
    ('question_counts', 'select, insert, update (asked)'),
    ('quota_days', 'select, insert, delete, update (used, credit, base, taken)'),
    ('rate_windows', 'select, insert, delete, update (second_start, second_used, minute_start, minute_used, admitted)'),
    ('record_links', 'select, insert, update (is_shown)'),
    ('recovery_codes', 'select, insert, delete'),
    ('reply_texts', 'select, insert, delete, update (owner_text, public_text, read_at)'),
    ('retroactive_days', 'select, insert, delete, update (used)'),
    ('security_events', 'select, insert, delete, update (last_at, count)'),
    ('service_processes', 'select, insert, delete, update (release, answers_requests, runs_jobs, started_at,
      connections, signing, running, reported_at)'),
    ('sessions', 'select, insert, delete, update (last_seen_at)'),
    ('source_health', 'select, insert, delete'),
    ('submit_hours', 'select, insert, delete, update (used)'),
    ('symbol_files', 'select, insert, update (created_at, symbols, stored_at)'),
    ('symbols', 'select, insert, update (listed_since, delisted_at)'),
    ('timelines', 'select, insert'),
    ('totp_secrets', 'select, insert, delete, update (secret, confirmed_at, last_step, pending, pending_at)'),
    ('track_cells', 'select, insert, delete, update (n, first, last)'),
    ('track_tail', 'select, insert, delete'),
    ('webhook_deliveries', 'select, insert, delete, update (status, step, due_at, token, attempts)'),
    ('webhooks', 'select, insert, delete, update (url, event_types, description, status, failures, failing_since,
      waits_until, secret, former_secret, former_until, history, position, seq)'),
    ('workflow_cells', 'select, insert, delete, update (n, last)'),
    ('workflow_publications', 'select, insert'),
    ('workflow_snapshots', 'select, insert'),
    ('workflows', 'select, insert, delete, update (name, description, tags, visibility, version, updated_at,
      name_folded, nodes, edges, listed_seq)')
  ) of_service (name, rights) loop
    execute format('grant %s on app.%I to %I', granted.rights, granted.name, service);
  end loop;
end $$;

-- The migrations that led to it, by the names that 0.5.0 looks for: a node of it refuses this database as newer, instead
-- of running them.
insert into public.migrations ("timestamp", name) select right(name, 13)::bigint, name from unnest('{
  First1763700000000, MarketEvidence1763700000001, OperatorsMarketData1763700000002, Cohorts1763700000003,
  OwnerLists1763700000004, Keys1763700000005, Identity1763700000006, DeviceFlow1763700000007, Accounts1763700000008,
  Limits1763700000009, Circuits1763700000010, Workflows1763700000011, Graph1763700000012, Atlas1763700000013,
  Timelines1763700000014, AtlasOrigins1763700000015, AppliedFunctions1763700000016, SourceStates1763700000017,
  AtlasOwnerProof1763700000018, Moves1763700000019, AuditChain1763700000020, Methods1763700000021,
  UngradedBySymbol1763700000022, CohortParts1763700000023, WholeOutcomes1763700000024, ReceivedColumns1763700000025,
  FewerRights1763700000026, CoarseRecords1763700000027, EvidenceLog1763700000028, LoggedAuditHeads1763700000029,
  LogSignedAt1763700000030, Witnesses1763700000031, OwnerRights1763700000032, Expiry1763700000033,
  TrackCells1763700000034, CohortPeriods1763700000035, ReplyTexts1763700000036, KeyWindows1763700000037,
  OnlineIndexes1763700000038, ReplySeals1763700000039, EvidenceBounds1763700000040, EvidenceBoundsRead1763700000041,
  EvidenceByMonth1763700000042, StatedOnce1763700000043, SecurityEvents1763700000044, RecentLogins1763700000045,
  CountedAttempts1763700000046, ProviderSessions1763700000047, SuspendedAccounts1763700000048, Events1763700000049,
  KeyExpiry1763700000050, ArchivedAgents1763700000051, KeysOfAgents1763700000052, KeyNetworks1763700000053,
  KeyUseNetworks1763700000054, EventTypes1763700000055, ExpiringKeys1763700000056, KeysByExpiry1763700000057,
  Webhooks1763700000058, EvaluatedOfOwner1763700000059, SecondFactors1763700000060, Passkeys1763700000061,
  Mail1763700000065, ConfirmedOwners1763700000066, Erasures1763700000070, OwnersToErase1763700000071,
  Processes1763700000075, OperatorLists1763700000076, EventsOfGrades1763700000085, Plans1763700000086
}'::text[]) name;
