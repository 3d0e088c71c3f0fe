-- When a key ends by itself. Changes no row; locks the table for a moment, and waits for no other transaction for longer than
-- 0.3 s at once.

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

alter table app.api_keys add column expires_at timestamptz(3);
comment on column app.api_keys.expires_at is 'From then on the key is refused; null: it works until it is revoked.';
comment on column app.api_keys.admitted is
  'Requests that the last update counted: the update returns it. Negative: the bounds of the key refused them.';
