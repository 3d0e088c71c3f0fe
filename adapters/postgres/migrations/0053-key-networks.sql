-- From which networks a key works. Changes no row; locks the table for a moment, and waits for no other transaction for longer
-- than 0.3 s at once.

do $$ begin
  perform set_config('lock_timeout', '300ms', true);
  for n in 1..300 loop
    begin
      lock table app.api_keys in access exclusive mode;
      return;
    exception when lock_not_available or deadlock_detected then
      perform pg_sleep(0.5);
    end;
  end loop;
  raise exception 'app.api_keys is in use by a long transaction: end it (a backup, for example), then migrate again.';
end $$;

-- A text that is no network would fail every batch with the key: the check makes its insert fail instead.
alter table app.api_keys add column allowed_networks text[]
  check (allowed_networks::cidr[] is null or cardinality(allowed_networks) > 0);
comment on column app.api_keys.allowed_networks is
  'The networks whose requests are accepted, as networkText of domain/networks.ts writes them; null: all.';

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant update (allowed_networks) on app.api_keys to %I', service);
end $$;
