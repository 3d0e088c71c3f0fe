-- Security events are added at the time of the database, counted up, and removed when they are old; no role does anything
-- else with them (`SecurityEventStore` of domain/accounts/security-event.ts).

create or replace function app.guard_security_event() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    new.at := app.now();
    new.last_at := new.at;
    new.count := 1;
    return new;
  end if;
  if tg_op = 'UPDATE' and new.count = old.count + 1
    and to_jsonb(new) - array['count', 'last_at'] = to_jsonb(old) - array['count', 'last_at'] then
    new.last_at := greatest(old.last_at, app.now());
    return new;
  end if;
  -- SECURITY_EVENTS.leastKept
  if tg_op = 'DELETE' and old.last_at <= app.now() - interval '30 days' then
    return old;
  end if;
  raise exception '% on security_events is refused: events are added, counted up, and deleted after 30 days', tg_op
    using errcode = '42501';
end $$;
create or replace trigger guard before insert or update or delete on app.security_events for each row
  execute function app.guard_security_event();
create or replace trigger guard_whole before truncate on app.security_events
  execute function app.refuse_change('its rows are added, counted up, and deleted after 30 days');
alter table app.security_events enable always trigger guard, enable always trigger guard_whole;
