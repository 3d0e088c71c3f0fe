-- Owners archive agents, and remove those without records. Changes no row; locks the table for a moment, and waits for no
-- other transaction for longer than 0.3 s at once.

do $$ begin
  perform set_config('lock_timeout', '300ms', true);
  for n in 1..300 loop
    begin
      lock table app.agents in access exclusive mode;
      return;
    exception when lock_not_available or deadlock_detected then
      perform pg_sleep(0.5);
    end;
  end loop;
  raise exception 'app.agents is in use by a long transaction: end it (a backup, for example), then migrate again.';
end $$;

alter table app.agents add column archived_at timestamptz(3);
comment on column app.agents.archived_at is 'Archived: without keys, and not counted for the limit of the tier.';

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant delete, update (archived_at) on app.agents to %I', service);
end $$;
