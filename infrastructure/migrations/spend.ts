/** Takes units out of the daily pools of owners, and gives them back (interface.md section 8). */
export const SPEND = `
-- Of the requests that are let in: takes the unit that each asks for, and tells how the pool of each stands.
create function app.spent(members app.admission[], today date) returns app.admission[] language plpgsql volatile as $$
#variable_conflict use_column
declare
  wanted int;
  locked int;
  result app.admission[];
begin
  loop
    insert into app.quota_days (owner_id, day, pool, record_id)
      select distinct m.owner_id, today, m.pool, m.record_id from unnest(members) m
      where m.verdict = 'admitted' and m.units > 0 and not exists (select from app.quota_days q
        where q.owner_id = m.owner_id and q.day = today and q.pool = m.pool and q.record_id = m.record_id)
      order by 1, 3, 4
      on conflict do nothing;
    select count(distinct (m.owner_id, m.pool, m.record_id)) into wanted
      from unnest(members) m where m.verdict = 'admitted' and m.units > 0;
    perform from app.quota_days q
      where q.day = today and (q.owner_id, q.pool, q.record_id) in (select m.owner_id, m.pool, m.record_id
        from unnest(members) m where m.verdict = 'admitted' and m.units > 0)
      order by q.owner_id, q.pool, q.record_id for update;
    get diagnostics locked = row_count;
    -- Fewer: the last unit of one was given back since it was found, and the row went.
    exit when locked = wanted;
  end loop;

  with asked as (
    select m.owner_id, m.pool, m.record_id, sum(m.units)::int as n, min(m.base) as base
    from unnest(members) m where m.verdict = 'admitted' and m.pool is not null group by 1, 2, 3
  ), found as (
    select a.*, coalesce(q.used, 0) as used, coalesce(q.credit, 0) as credit
    from asked a left join app.quota_days q
      on q.owner_id = a.owner_id and q.day = today and q.pool = a.pool and q.record_id = a.record_id
  ), judged as (
    select f.*, greatest(0, least(f.n, f.base + f.credit - f.used)) as allowed from found f
  ), taken as (
    update app.quota_days q set used = q.used + j.allowed, base = j.base from judged j
    where q.owner_id = j.owner_id and q.day = today and q.pool = j.pool and q.record_id = j.record_id and j.allowed > 0
  ), placed as (
    select m, j.used, j.credit, j.allowed,
      sum((m).units) over (partition by j.owner_id, j.pool, j.record_id order by (m).ordinal)::int as place
    from unnest(members) m left join judged j
      on (m).verdict = 'admitted' and j.owner_id = (m).owner_id and j.pool = (m).pool and j.record_id = (m).record_id
  )
  select array_agg((
      (m).ordinal, case when (m).units > 0 and p.place > p.allowed then 'quota' else (m).verdict end,
      null, (m).owner_id, (m).agent_id, (m).key_prefix, (m).permission_mode, (m).role, (m).tier,
      (m).window_of, (m).per_second, (m).per_minute, (m).rate_remaining, (m).rate_reset,
      (m).pool, (m).record_id, (m).base, (m).units, today, p.used + least(p.place, p.allowed), p.credit
    )::app.admission) into result
  from placed p;
  return result;
end $$;

-- Gives one unit back to the day it was taken from; how that pool stands now.
create function app.give_back(of_owner uuid, of_day date, of_pool text, of_record text)
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
  -- Or else every record that is asked for in vain would leave a row.
  if used = 0 and of_pool = 'check' then
    delete from app.quota_days q
      where q.owner_id = of_owner and q.day = of_day and q.pool = of_pool and q.record_id = of_record;
  end if;
  return query select app.now(), today, coalesce(q.used, 0), coalesce(q.credit, 0)
    from (values (1)) one left join app.quota_days q
      on q.owner_id = of_owner and q.day = today and q.pool = of_pool and q.record_id = of_record;
end $$;
`;
