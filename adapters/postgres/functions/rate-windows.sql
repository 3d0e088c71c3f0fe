-- The rate windows of callers: a UTC second and a UTC minute each (settled.md section 7).

-- Counts the requests in their windows, which are locked. A window never goes back: when the clock is set back, the last
-- one stays.
create or replace function app.counted(members app.admission[], this_second timestamptz, this_minute timestamptz)
returns app.admission[] language plpgsql volatile as $$
declare result app.admission[];
begin
  with placed as (
    select m, row_number() over same as place, count(*) over (partition by (m).window_of) as n,
      greatest(w.second_start, this_second) as second_start,
      greatest(w.minute_start, this_minute) as minute_start,
      case when w.second_start >= this_second then w.second_used else 0 end as second_used,
      case when w.minute_start >= this_minute then w.minute_used else 0 end as minute_used
    from unnest(members) m
      left join lateral (select * from app.rate_windows w where w.subject = m.window_of offset 0) w on true
    window same as (partition by (m).window_of order by (m).ordinal)
  ), judged as materialized (
    select p.*, greatest(0, least(n, (m).per_second - second_used, (m).per_minute - minute_used))::int as allowed
    from placed p
  ), counted as (
    -- Every row exists and is locked: the insert only finds it by its key.
    insert into app.rate_windows (subject, second_start, second_used, minute_start, minute_used)
      select (m).window_of, second_start, second_used + allowed, minute_start, minute_used + allowed
      from judged where place = 1 and allowed > 0 and (m).window_of is not null
      on conflict (subject) do update set second_start = excluded.second_start, second_used = excluded.second_used,
        minute_start = excluded.minute_start, minute_used = excluded.minute_used
  ), left_over as (
    -- What remains after the request itself, or, for a refused request, after all that were admitted.
    select j.*, (m).per_second - second_used - least(place, allowed) as seconds_now,
      (m).per_minute - minute_used - least(place, allowed) as minutes_now
    from judged j
  )
  select array_agg((
      (m).ordinal,
      case when (m).window_of is null then (m).verdict when l.place <= l.allowed then 'admitted' else 'rate' end,
      null, (m).owner_id, (m).agent_id, (m).key_prefix, (m).permission_mode, (m).role, (m).tier,
      (m).window_of, (m).per_second, (m).per_minute,
      greatest(0, least(l.seconds_now, l.minutes_now)),
      case when l.minutes_now <= coalesce(l.seconds_now, l.minutes_now) then l.minute_start + interval '1 minute'
        else l.second_start + interval '1 second' end,
      (m).pool, (m).record_id, (m).base, (m).units, null, null, null
    )::app.admission) into result
  from left_over l;
  return result;
end $$;
