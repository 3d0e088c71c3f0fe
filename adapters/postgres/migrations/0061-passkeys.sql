-- Passkeys of owners, and the challenges that their authenticators sign.

create table app.passkeys (
  passkey_id uuid primary key,
  owner_id uuid not null references app.owners (owner_id) on delete cascade,
  credential_id text not null unique check (length(credential_id) between 1 and 1366),
  public_key bytea not null check (length(public_key) between 1 and 4096),
  counter bigint not null check (counter >= 0),
  name text not null check (length(name) between 1 and 80),
  synced boolean not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3)
);
comment on column app.passkeys.credential_id is 'In base64url: up to 1023 bytes (WebAuthn level 3, 6.5.1).';
comment on column app.passkeys.counter is 'The signature counter of the last login; 0 of an authenticator that does not count.';
create index passkeys_of_owner on app.passkeys (owner_id);

create table app.passkey_challenges (
  challenge_hash bytea primary key check (length(challenge_hash) = 32),
  bound_to bytea not null check (length(bound_to) = 32),
  purpose text not null check (purpose in ('login', 'registration')),
  created_at timestamptz(3) not null
);
comment on column app.passkey_challenges.bound_to is 'The hash of what only the client of the request has.';

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert, delete on app.passkeys, app.passkey_challenges to %I', service);
  execute format('grant update (counter, synced, name, last_used_at) on app.passkeys to %I', service);
end $$;
