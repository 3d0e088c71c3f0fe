/** Owners and everything they sign in with (settled.md section 8). */
export const ACCOUNTS = `
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
`;
