-- Second factors of owners: authenticator apps and recovery codes, and what a session was opened with. Changes no row;
-- locks one table for a moment, and waits for no other transaction for longer than 0.3 s at once.

do $$ begin
  perform set_config('lock_timeout', '300ms', true);
  for n in 1..300 loop
    begin
      lock table app.sessions in access exclusive mode;
      return;
    exception when lock_not_available or deadlock_detected then
      perform pg_sleep(0.5);
    end;
  end loop;
  raise exception 'app.sessions is in use by a long transaction: end it (a backup, for example), then migrate again.';
end $$;

alter table app.sessions add column factor text;
comment on column app.sessions.factor is 'What the session was opened with besides a password; null: nothing.';

create table app.totp_secrets (
  owner_id uuid primary key references app.owners (owner_id) on delete cascade,
  secret bytea,
  confirmed_at timestamptz(3),
  last_step integer not null default 0 check (last_step >= 0),
  pending bytea,
  pending_at timestamptz(3),
  check ((secret is null) = (confirmed_at is null)),
  check ((pending is null) = (pending_at is null)),
  check (secret is not null or pending is not null)
);
comment on column app.totp_secrets.secret is 'Sealed under a key that derives from SESSION_SECRET, as is pending.';
comment on column app.totp_secrets.last_step is 'The newest step of 30 s whose code was accepted.';
comment on column app.totp_secrets.pending is 'Begun at pending_at; its first code makes it the secret.';

create table app.recovery_codes (
  owner_id uuid not null references app.owners (owner_id) on delete cascade,
  code_hash bytea not null check (length(code_hash) = 32),
  created_at timestamptz(3) not null default app.now(),
  primary key (owner_id, code_hash)
);
comment on table app.recovery_codes is 'Those that are not used: using one deletes it.';

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert, delete on app.totp_secrets, app.recovery_codes to %I', service);
  execute format('grant update (secret, confirmed_at, last_step, pending, pending_at) on app.totp_secrets to %I', service);
end $$;
