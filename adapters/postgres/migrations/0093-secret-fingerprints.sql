-- Which secrets outside of the database its rows depend on (docs/secrets.md). A new table alone: nothing waits for this
-- migration.

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

do $$
begin
  execute format('grant select, insert on app.secret_fingerprints to %I', current_setting('stancebook.service_role'));
end $$;
