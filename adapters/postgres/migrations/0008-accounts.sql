-- Attempts to log in, and acceptances of the terms as a history.

create table app.login_attempts (
  account_hash bytea primary key check (length(account_hash) = 32),
  window_start timestamptz(3) not null,
  used int not null check (used >= 0)
);
comment on table app.login_attempts is 'Attempts to prove a password, that failed or are under way, by the SHA-256 of the folded email.';

-- Two acceptances of one millisecond are two: the time was their key.
alter table app.legal_acceptances drop constraint legal_acceptances_pkey;
alter table app.legal_acceptances add column seq bigint generated always as identity primary key;
create index on app.legal_acceptances (owner_id, seq desc);

-- Acceptances are only added; they go with their owner, by the foreign key.
do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert, update, delete on app.login_attempts to %I', service);
  execute format('revoke update, delete on app.legal_acceptances from %I', service);
end $$;
