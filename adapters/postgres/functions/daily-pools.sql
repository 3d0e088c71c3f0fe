-- Daily pools of owners: takes units from them, and returns units to them (interface.md section 8). Rows are looked up
-- one by one (`lateral ... offset 0`, scalar subqueries): whatever the planner assumes about the tables, it finds rows by
-- their keys.

-- Takes the unit that each admitted request spends, and returns the state of its pool.
create or replace function app.spent(members app.admission[], today date) returns app.admission[]
language plpgsql volatile as $$
#variable_conflict use_column
declare
  wanted int;
  locked int;
  result app.admission[];
begin
  select count(*) into wanted from unnest(members) m where m.verdict = 'admitted' and m.units > 0;
  loop
    perform from (select m.owner_id, m.pool, m.record_id from unnest(members) m
        where m.verdict = 'admitted' and m.units > 0 order by 1, 2, 3) m,
      lateral (select from app.quota_days q
        where q.owner_id = m.owner_id and q.day = today and q.pool = m.pool and q.record_id = m.record_id for update) locked;
    get diagnostics locked = row_count;
    exit when locked = wanted;
    -- Some rows do not exist yet, or were deleted with the last unit that was given back.
    insert into app.quota_days (owner_id, day, pool, record_id)
      select distinct m.owner_id, today, m.pool, m.record_id from unnest(members) m
      where m.verdict = 'admitted' and m.units > 0 and (select q.day from app.quota_days q
        where q.owner_id = m.owner_id and q.day = today and q.pool = m.pool and q.record_id = m.record_id) is null
      order by 1, 3, 4
      on conflict do nothing;
  end loop;

  with placed as (
    select m, sum((m).units) over same::int as place,
      sum((m).units) over (partition by (m).owner_id, (m).pool, (m).record_id)::int as n,
      row_number() over same as nth, coalesce(q.used, 0) as used, coalesce(q.credit, 0) as credit
    from unnest(members) m left join lateral (select q.used, q.credit from app.quota_days q
        where q.owner_id = m.owner_id and q.day = today and q.pool = m.pool and q.record_id = m.record_id offset 0) q on true
    where (m).verdict = 'admitted' and (m).pool is not null
    window same as (partition by (m).owner_id, (m).pool, (m).record_id order by (m).ordinal)
  ), judged as materialized (
    select p.*, greatest(0, least(n, (m).base + credit - used))::int as allowed from placed p
  ), taken as (
    -- Every row exists and is locked: the insert only finds it by its key.
    insert into app.quota_days (owner_id, day, pool, record_id, base, used, credit)
      select (m).owner_id, today, (m).pool, (m).record_id, (m).base, used + allowed, credit
      from judged where nth = 1 and allowed > 0
      on conflict (owner_id, day, pool, record_id) do update set used = excluded.used, base = excluded.base
  )
  select array_agg((
      (m).ordinal, case when (m).units > 0 and p.place > p.allowed then 'quota' else 'admitted' end,
      null, (m).owner_id, (m).agent_id, (m).key_prefix, (m).permission_mode, (m).role, (m).tier,
      (m).window_of, (m).per_second, (m).per_minute, (m).rate_remaining, (m).rate_reset,
      (m).pool, (m).record_id, (m).base, (m).units, today, p.used + least(p.place, p.allowed), p.credit
    )::app.admission) into result
  from judged p;
  return result || array(select m from unnest(members) m where m.verdict <> 'admitted' or m.pool is null);
end $$;

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
