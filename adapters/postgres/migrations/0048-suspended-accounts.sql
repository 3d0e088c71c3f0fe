-- An operator can suspend an account. Its keys are revoked with a mark, and the end of the suspension restores the marked
-- ones alone (functions/owner-guard.sql). Changes no row; locks the tables for a moment, and waits for no other transaction
-- for longer than 0.3 s at once.

do $$ begin
  perform set_config('lock_timeout', '300ms', true);
  for n in 1..300 loop
    begin
      lock table app.owners, app.api_keys in access exclusive mode;
      return;
    exception when lock_not_available or deadlock_detected then
      perform pg_sleep(0.5);
    end;
  end loop;
  raise exception 'app.owners or app.api_keys is in use by a long transaction: end it (a backup, for example), then migrate again.';
end $$;

alter table app.owners add column suspended_at timestamptz(3);
comment on column app.owners.suspended_at is 'Set by operators alone; the reason is in the audit log.';
alter table app.api_keys add column suspended boolean not null default false check (not suspended or revoked_at is not null);
comment on column app.api_keys.suspended is 'Revoked by the suspension of its owner, and restored at its end.';
