-- Daily pools of owners: returns units to them (interface.md section 8). app.admit_batch takes units.

-- Returns one unit to the day that it was taken from, and the state of that pool now.
create or replace function app.give_back(of_owner uuid, of_day date, of_pool text, of_record text)
returns table (told_at timestamptz, day date, used int, credit int) language plpgsql volatile as $$
#variable_conflict use_column
declare
  today date := (app.limits_now() at time zone 'UTC')::date;
begin
  -- A crash that forgets it leaves the unit spent, which is allowed.
  perform set_config('synchronous_commit', 'off', true);
  update app.quota_days q set used = q.used - 1
    where q.owner_id = of_owner and q.day = of_day and q.pool = of_pool and q.record_id = of_record and q.used > 0
    returning q.used into used;
  -- Otherwise every check of an unknown record would leave a row.
  if used = 0 and of_pool = 'check' then
    delete from app.quota_days q
      where q.owner_id = of_owner and q.day = of_day and q.pool = of_pool and q.record_id = of_record;
  end if;
  return query select app.now(), today, coalesce(q.used, 0), coalesce(q.credit, 0)
    from (values (1)) one left join app.quota_days q
      on q.owner_id = of_owner and q.day = today and q.pool = of_pool and q.record_id = of_record;
end $$;
