-- Logins through the identity provider (settled.md section 8).

create table app.provider_logins (
  state_hash bytea primary key check (length(state_hash) = 32),
  browser_hash bytea not null check (length(browser_hash) = 32),
  nonce text not null,
  code_verifier text not null,
  redirect_uri text not null,
  created_at timestamptz(3) not null
);
create index on app.provider_logins (created_at);
comment on table app.provider_logins is 'Browsers that were sent to the identity provider and are not back; a callback takes its row out.';

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert, delete on app.provider_logins to %I', service);
end $$;
