-- Which session at the identity provider began a session, so that its logout ends it. Changes no row; locks the table for a
-- moment, and waits for no other transaction for longer than 0.3 s at once.

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

alter table app.sessions add column provider_session text;
comment on column app.sessions.provider_session is 'The `sid` of the id token; null for logins by password.';
