-- The admission of requests, up to a batch of them in one statement: it proves their credentials, counts both rate
-- windows, then takes units from the pools (settled.md section 7). Every lock of a window comes before every lock of a
-- pool, and each kind in one order, so that the batches of several processes never wait for each other in a ring. A batch
-- that would wait longer than patience_ms for a lock ends with SQLSTATE 55P03, having counted nothing. A batch of keys
-- that spend nothing is sent to app.count_keys itself.
--
-- The requests of one caller are one element of the arrays, with their number, and so are those of them that spend from
-- one pool. An array that has only nulls may be empty.
--   key_hashes, key_addresses, key_counts   as for app.count_keys
--   callers                  a value for each other caller, not as long as a hash: it has a session, identity or address
--   per_second, per_minute   the limits of keys and owners
--   spenders                 the place of the caller among keys and then others, for each pool that it spends from
--   firsts                   the requests of the same caller before these; null for 0
--   units                    0 only reads the pool
-- Returns a row for each caller that is known and each pool that it spends from, with `caller` where there is none.
-- Windows and pool are those after all requests of the batch: `admitted` of them were counted, `taken` have a unit. Where
-- `admitted` is negative, the bounds of the key refused all of them (app.count_keys).
create or replace function app.admit_batch(key_hashes bytea[], key_addresses text[], key_counts int[],
  callers bytea[], session_hashes bytea[], issuers text[], subjects text[], addresses text[], counts int[],
  address_minutes int[], per_second int, per_minute int,
  spenders int[], pools text[], records text[], bases int[], units int[], firsts int[],
  session_idle interval, session_absolute interval, session_noted interval, patience_ms int)
returns table (caller bytea, owner_id uuid, agent_id text, key_prefix text, permission_mode text, role text, tier text,
  second_start timestamptz, second_used int, minute_used int, admitted int, before int,
  spend int, day date, used int, credit int, taken int)
language plpgsql volatile
-- As for app.count_keys; and the joins are of rows of the batch with each other, which the planner takes for few.
set enable_seqscan = off set enable_bitmapscan = off set enable_nestloop = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  keys constant int := cardinality(key_hashes);
  setting text := set_config('lock_timeout', patience_ms::text, true);
begin
  if not 0 < any(units) then
    setting := set_config('synchronous_commit', 'off', true);
  end if;
  if spenders = '{}' then
    return query
    select c.*, null::int, null::date, null::int, null::int, null::int
    from (select * from app.count_keys(key_hashes, key_addresses, key_counts, per_second, per_minute, patience_ms)
      union all select * from app.count_others(callers, session_hashes, issuers, subjects, addresses, counts,
        address_minutes, per_second, per_minute, session_idle, session_absolute, session_noted)) c;
    return;
  end if;
  return query
  with today as (
    -- Read when the first row of a pool is made, after all windows are locked.
    select (greatest(app.now(), f.at) at time zone 'UTC')::date as day from app.limits_floor f
  ), key_windows as (
    -- As in app.count_keys, which would let the commit of spent units be lost in a crash.
    update app.api_keys k set (second_start, second_used, minute_used, admitted) = (
        select after.*
        from (select greatest(app.now(), (select f.at from app.limits_floor f)) as at) clock,
          app.window_after(k.second_start, k.second_used, k.minute_used, clock.at,
            case when k.expires_at <= clock.at then -1
              when k.allowed_networks is not null
              and app.is_outside(key_addresses[array_position(key_hashes, k.key_hash)], k.allowed_networks) then -2
              when key_counts is null then 1 else key_counts[array_position(key_hashes, k.key_hash)] end,
            per_second, per_minute) after)
      where k.key_hash = any(key_hashes) and coalesce(k.revoked_at, 'infinity') = 'infinity'
      returning k.key_hash as caller, k.owner_id, k.agent_id, k.key_prefix, k.permission_mode, null::text as role,
        (select o.tier from app.owners o where o.owner_id = k.owner_id) as tier,
        k.second_start, k.second_used, k.minute_used, k.admitted, 0 as before
  ), counted as (
    select * from key_windows
    union all select * from app.count_others(callers, session_hashes, issuers, subjects, addresses, counts,
      address_minutes, per_second, per_minute, session_idle, session_absolute, session_noted)
  ), spending as materialized (
    select c.*, s.spend::int, s.pool, coalesce(s.record_id, '') as record_id, s.base,
      greatest(0, least(coalesce(s.units, 0), c.admitted - c.before - coalesce(s.first, 0))) as wanted
    from counted c left join unnest(spenders, pools, records, bases, units, firsts) with ordinality
        s(place, pool, record_id, base, units, first, spend)
      on c.caller = coalesce(key_hashes[s.place], callers[s.place - keys])
  ), taken as (
    -- What a new row would take is only known to `returning`: on conflict, the row of before and its credit count.
    insert into app.quota_days as q (owner_id, day, pool, record_id, base, used, taken)
      select owner_id, (select day from today), pool, record_id, base, least(base, wanted), wanted
      from (select owner_id, pool, record_id, min(base) as base, sum(wanted)::int as wanted from spending
        group by owner_id, pool, record_id having sum(wanted) > 0) each
      order by owner_id, pool, record_id
      on conflict (owner_id, day, pool, record_id) do update set
        base = case when q.used < excluded.base + q.credit then excluded.base else q.base end,
        used = q.used + greatest(0, least(excluded.taken, excluded.base + q.credit - q.used)),
        taken = greatest(0, least(excluded.taken, excluded.base + q.credit - q.used))
      returning q.owner_id, q.pool, q.record_id, q.day, q.used, q.credit, least(q.taken, q.used) as taken
  )
  select case when s.spend is null then s.caller end, s.owner_id, s.agent_id, s.key_prefix, s.permission_mode, s.role,
    s.tier, s.second_start, s.second_used, s.minute_used, s.admitted, s.before, s.spend,
    coalesce(t.day, (select day from today)),
    coalesce(t.used, (select q.used from app.quota_days q where q.owner_id = s.owner_id
      and q.day = (select day from today) and q.pool = s.pool and q.record_id = s.record_id), 0),
    coalesce(t.credit, (select q.credit from app.quota_days q where q.owner_id = s.owner_id
      and q.day = (select day from today) and q.pool = s.pool and q.record_id = s.record_id), 0),
    coalesce(t.taken, 0)
  from spending s
    left join taken t on t.owner_id = s.owner_id and t.pool = s.pool and t.record_id = s.record_id;
end $$;
