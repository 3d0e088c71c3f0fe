/** Instruments, decisions and what is known of them (settled.md sections 2-6). */
export const EVIDENCE = `
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
`;
