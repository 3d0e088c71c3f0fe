-- From which network a key was last used. A column without a default changes no row.

alter table app.api_key_uses add column network text check (length(network) <= 64);
comment on column app.api_key_uses.network is 'A keyed hash, as in app.security_events.';

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant update (network) on app.api_key_uses to %I', service);
end $$;
