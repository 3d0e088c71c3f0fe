-- Which keys have had their event key.expiring. Changes no row; locks the table for a moment, and waits for no other
-- transaction for longer than 0.3 s at once.

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

alter table app.api_keys add column expiry_noted boolean not null default false;
comment on column app.api_keys.expiry_noted is 'Its event key.expiring is written.';

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant update (expiry_noted) on app.api_keys to %I', service);
end $$;
