/** What a submission looks at beside its own record: circuits and published workflows (settled.md sections 9 and 11). */
export const SURROUNDINGS = `
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
`;
