-- When the owner of a session last proved to be the owner, and from where it began. Sessions of before have no such time:
-- their owners log in again before they make keys. Changes no row; locks two tables for a moment, and waits for no other
-- transaction for longer than 0.3 s at once.

do $$ begin
  perform set_config('lock_timeout', '300ms', true);
  for n in 1..300 loop
    begin
      lock table app.sessions, app.provider_logins in access exclusive mode;
      return;
    exception when lock_not_available or deadlock_detected then
      perform pg_sleep(0.5);
    end;
  end loop;
  raise exception 'app.sessions is in use by a long transaction: end it (a backup, for example), then migrate again.';
end $$;

alter table app.sessions
  add column authenticated_at timestamptz(3),
  add column network text,
  add column client text;
comment on column app.sessions.authenticated_at is 'The last proof by password or provider; null where the provider gave no time.';
comment on column app.sessions.network is 'A keyed hash, as in app.security_events.';
alter table app.provider_logins add column is_fresh boolean not null default false;
comment on column app.provider_logins.is_fresh is 'Whether the person has to log in at the provider anew.';
