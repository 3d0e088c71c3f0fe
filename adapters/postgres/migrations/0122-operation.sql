-- What the service knows of itself and of its limits, and the rights of its role. Changes no row.

-- Null in the reports of 0.5.0.
alter table app.service_processes add column faulty_records jsonb, add column disk jsonb;
comment on column app.service_processes.faulty_records is
  'FaultyRecords of domain/service-processes.ts; null of a release that does not look for them.';
comment on column app.service_processes.disk is 'How it sees the disk of the database: its state, and the free bytes where it can see them.';

-- Which secrets outside of the database its rows depend on (docs/secrets.md).
create table app.secret_fingerprints (
  seq bigint generated always as identity primary key,
  name text not null check (name in ('SESSION_SECRET', 'PASSWORD_PEPPER')),
  salt bytea not null check (octet_length(salt) = 16),
  fingerprint bytea not null check (octet_length(fingerprint) = 16),
  since timestamptz(3) not null default app.now()
);
comment on table app.secret_fingerprints is 'The secrets that were used with this database; of each name the newest row is in use.';
comment on column app.secret_fingerprints.fingerprint is 'scrypt of name and secret with the salt: a guess costs as much as one of a password.';

create index secret_fingerprints_name on app.secret_fingerprints (name, seq desc);

call app.keep_for_ever('app.secret_fingerprints');

-- What is kept for ever has a daily limit, in rows and bytes, for each owner and each network (docs/limits.md).
create table app.kept_days (
  subject bytea not null check (length(subject) = 32),
  kind text not null check (length(kind) between 1 and 40),
  day date not null,
  kept int not null check (kept >= 0),
  bytes bigint not null check (bytes >= 0),
  most int not null,
  most_bytes bigint not null,
  primary key (subject, kind, day),
  check (kept <= most and bytes <= most_bytes)
) with (fillfactor = 70);
comment on table app.kept_days is 'What was kept for ever on a UTC day, by kind; app.keep counts it in the transaction that writes it.';
comment on column app.kept_days.subject is 'SHA-256 of an owner, or of the keyed hash of a network.';
comment on column app.kept_days.most is 'The limit when something was last kept.';

alter table app.submit_hours add column bytes bigint not null default 0 check (bytes >= 0);
comment on column app.submit_hours.bytes is 'Of the bodies of these submissions.';

alter type app.submission add attribute submit_bytes_per_hour bigint, add attribute network text,
  add attribute agent_hours_per_network int;

-- The removal of lost second factors, which an operator requests and which waits (docs/owner-requests.md).
create table app.factor_resets (
  owner_id uuid primary key references app.owners on delete cascade,
  evidence text not null check (length(evidence) between 1 and 40),
  actor text not null,
  requested_at timestamptz(3) not null default app.now(),
  due_at timestamptz(3) not null check (due_at >= requested_at)
);
comment on table app.factor_resets is 'Requested by operators, and neither done nor taken back: both delete the row.';
comment on column app.factor_resets.evidence is 'How the operator has identified the person: a word of RESET_EVIDENCE in domain/accounts/factors.';
create index factor_resets_due on app.factor_resets (due_at);

-- Records that cannot be read in full, known until they can be read again.
create table app.faulty_records (
  record_id text primary key,
  parts text[] not null,
  noted_at timestamptz(3) not null
);
comment on table app.faulty_records is
  'Found by any process; prune-expired reads them again and removes those that can be read.';
comment on column app.faulty_records.parts is 'Words of FAULT_PARTS in domain/decisions/views/record-fault.ts.';
create index faulty_records_noted_at on app.faulty_records (noted_at);

-- A log can go on with the stored leaves of another one (docs/log-operation.md). Logs of 0.5.0 each have their own leaves, and
-- its nodes that start one still add such a log.
alter table app.logs add column tree integer references app.logs (log) check (tree < log);
comment on column app.logs.tree is
  'The log under whose number the leaves are stored that this one shares; null: this one, whose leaves are its own.';

-- The service's role writes nothing that cohorts are counted from: the functions that do have the rights of the schema's
-- owner. Those of 0.5.0 get them here, because they run until those of this release are applied.
do $$
declare
  service text := current_setting('stancebook.service_role');
  writer regprocedure;
begin
  foreach writer in array array[to_regprocedure('app.count_in_cohorts()'), to_regprocedure('app.fold_cohorts(int)'),
    to_regprocedure('app.extend_rollups(bigint)'), to_regprocedure('app.rebuild_cohort_cells()'),
    to_regprocedure('app.count_moves(text[],smallint[])')]
  loop
    continue when writer is null;
    execute format('alter function %s security definer set search_path = pg_catalog, pg_temp', writer);
  end loop;
  if service::name <> (select pg_get_userbyid(nspowner) from pg_namespace where nspname = 'app') then
    execute format('revoke insert, update, delete on app.cohort_cells, app.cohort_tail, app.cohort_rollups from %I', service);
    execute format('revoke update (n, earliest, latest, owners, moves, last_graded) on app.cohort_cells from %I', service);
    execute format('revoke update (move) on app.cohort_tail from %I', service);
    execute format('revoke update (markets, without_last_graded) on app.cohort_rollups from %I', service);
    -- No statement uses these, also none of 0.5.0: the name of an agent and the job of a refresh stay as they were stored.
    execute format('revoke update (name) on app.agents from %I', service);
    execute format('revoke update (job_id) on app.instrument_refreshes from %I', service);
  end if;
  execute format('grant update (faulty_records, disk) on app.service_processes to %I', service);
  execute format('grant select, insert on app.secret_fingerprints to %I', service);
  execute format('grant select, insert, delete, update (kept, bytes, most, most_bytes) on app.kept_days to %I', service);
  execute format('grant update (bytes) on app.submit_hours to %I', service);
  execute format('grant select, insert, delete on app.factor_resets to %I', service);
  execute format('grant select, insert, update (parts, noted_at), delete on app.faulty_records to %I', service);
end $$;
