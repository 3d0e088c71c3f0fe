-- What is counted of each request: rate windows, daily pools and what is kept, and the admission that counts them in one statement.

-- The rate windows of callers: a UTC second and its UTC minute (settled.md section 7). Those of a key are in the row of the
-- key, those of owners and addresses in app.rate_windows. Rows are locked in one order, that of their key, so that the
-- batches of several processes never wait for each other in a ring.

-- The windows after up to n more requests, and for how many of them both had room. A window never goes back: when the
-- clock is set back, the last one stays. Without per_second the second has no limit. A negative n counts nothing and is
-- returned as `admitted`. Inlined wherever it is called; `offset 0` keeps the planner from repeating an expression wherever
-- its value is used.
create or replace function app.window_after(last_second timestamptz, used_in_second int, used_in_minute int,
  at timestamptz, n int, per_second int, per_minute int)
returns table (second_start timestamptz, second_used int, minute_used int, admitted int) language sql immutable as $$
  select w.second_start, w.second_used + greatest(0, c.admitted), w.minute_used + greatest(0, c.admitted), c.admitted
  from (select
      greatest(last_second, date_bin('1 second', at, 'epoch')) as second_start,
      case when last_second >= date_bin('1 second', at, 'epoch') then used_in_second else 0 end as second_used,
      case when last_second >= date_bin('1 minute', at, 'epoch') then used_in_minute else 0 end as minute_used, n as n
      offset 0) w,
    lateral (select case when w.n < 0 then w.n
        else greatest(0, least(w.n, per_second - w.second_used, per_minute - w.minute_used)) end as admitted
      offset 0) c
$$;

-- Whether an address, null where there is none, is in none of the networks. Not inlined: to prepare its casts would cost every
-- statement more than the call costs the few keys that have networks.
create or replace function app.is_outside(address text, networks text[]) returns boolean language plpgsql immutable as $$
begin
  return not coalesce(address::inet <<= any (networks::cidr[]), false);
end $$;

-- Counts the requests of unrevoked keys; other keys get no row. What the bounds of a key refuse is not counted: its `admitted`
-- is -1 where the key has expired and -2 for an address outside of its networks. key_hashes: ascending, without duplicates;
-- key_addresses: from where, null where that is no IP address; counts: null for one request of each key. `role` and `before`
-- are of no use for keys; see app.count_others.
-- The clock is read in the `set`: where a row must be waited for, PostgreSQL computes it again when the row is locked.
create or replace function app.count_keys(key_hashes bytea[], key_addresses text[], counts int[], per_second int, per_minute int,
  patience_ms int)
returns table (caller bytea, owner_id uuid, agent_id text, key_prefix text, permission_mode text, role text, tier text,
  second_start timestamptz, second_used int, minute_used int, admitted int, before int)
language plpgsql volatile
-- Rows are found, and locked, by and in the order of their hash: for this the array is the only usable condition, which
-- `revoked_at is null` would not leave it, as that of a partial index.
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  setting text := set_config('lock_timeout', patience_ms::text, true);
begin
  if key_hashes = '{}' then
    return;
  end if;
  -- A crash may forget requests that were counted, never a unit that was spent.
  setting := set_config('synchronous_commit', 'off', true);
  return query
  update app.api_keys k set (second_start, second_used, minute_used, admitted) = (
      select after.*
      from (select greatest(app.now(), (select f.at from app.limits_floor f)) as at) clock,
        app.window_after(k.second_start, k.second_used, k.minute_used, clock.at,
          case when k.expires_at <= clock.at then -1
            when k.allowed_networks is not null
              and app.is_outside(key_addresses[array_position(key_hashes, k.key_hash)], k.allowed_networks) then -2
            when counts is null then 1 else counts[array_position(key_hashes, k.key_hash)] end,
          per_second, per_minute) after)
    where k.key_hash = any(key_hashes) and coalesce(k.revoked_at, 'infinity') = 'infinity'
    returning k.key_hash, k.owner_id, k.agent_id, k.key_prefix, k.permission_mode, null::text,
      (select o.tier from app.owners o where o.owner_id = k.owner_id),
      k.second_start, k.second_used, k.minute_used, k.admitted, 0;
end $$;

-- Counts the requests of sessions and identities by their owners, and others by their addresses. A session that is over
-- and an identity without an owner get no row, nor do those of a suspended owner. before: requests of the same owner by
-- callers earlier in the batch.
create or replace function app.count_others(callers bytea[], session_hashes bytea[], issuers text[], subjects text[],
  addresses text[], counts int[], address_minutes int[], per_second int, per_minute int,
  session_idle interval, session_absolute interval, session_noted interval)
returns table (caller bytea, owner_id uuid, agent_id text, key_prefix text, permission_mode text, role text, tier text,
  second_start timestamptz, second_used int, minute_used int, admitted int, before int)
language plpgsql volatile
-- A plan that is made while the tables are small is used when they have grown.
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  moment timestamptz := app.now();
begin
  if callers = '{}' then
    return;
  end if;
  if array_remove(session_hashes, null) <> '{}' then
    -- No request waits for the note: where two requests of a session meet, one of them writes it.
    update app.sessions s set last_seen_at = moment
      from (select n.session_hash from app.sessions n
        where n.session_hash = any(session_hashes)
          and n.last_seen_at > moment - session_idle and n.created_at > moment - session_absolute
          and n.last_seen_at <= moment - session_noted for no key update skip locked) n
      where s.session_hash = n.session_hash;
  end if;
  return query
  with proven as (
    select r.caller, r.ordinal, r.n, o.owner_id, o.role, o.tier,
      case when o.owner_id is null then r.address else 'owner ' || o.owner_id end as subject,
      case when o.owner_id is not null then per_second end as per_second,
      case when o.owner_id is null then r.address_minute else per_minute end as per_minute
    from unnest(callers, session_hashes, issuers, subjects, addresses, counts, address_minutes) with ordinality
        r(caller, session_hash, issuer, subject, address, n, address_minute, ordinal)
      left join lateral (select s.owner_id from app.sessions s where s.session_hash = r.session_hash
        and s.last_seen_at > moment - session_idle and s.created_at > moment - session_absolute offset 0) s on true
      left join lateral (select i.owner_id from app.identities i
        where i.issuer = r.issuer and i.subject = r.subject offset 0) i on true
      left join lateral (select o.owner_id, o.role, o.tier from app.owners o
        where o.owner_id = coalesce(s.owner_id, i.owner_id) and o.suspended_at is null offset 0) o on true
  ), placed as materialized (
    select p.*, sum(n) over (partition by subject order by ordinal)::int - n as before,
      sum(n) over (partition by subject)::int as total
    from proven p where subject is not null
  ), counted as (
    insert into app.rate_windows as w (subject, second_start, second_used, minute_start, minute_used, admitted)
      select p.subject, after.second_start, after.second_used, date_bin('1 minute', after.second_start, 'epoch'),
        after.minute_used, after.admitted
      from placed p, (select app.limits_now() as at) clock,
        app.window_after('-infinity', 0, 0, clock.at, p.total, p.per_second, p.per_minute) after
      where p.before = 0 order by p.subject
      on conflict (subject) do update set (second_start, second_used, minute_start, minute_used, admitted) = (
        select after.second_start, after.second_used, date_bin('1 minute', after.second_start, 'epoch'),
          after.minute_used, after.admitted
        from placed p,
          lateral (select greatest(app.now(), (select f.at from app.limits_floor f)) as at) clock,
          app.window_after(w.second_start, w.second_used, w.minute_used, clock.at, p.total, p.per_second,
            p.per_minute) after
        where p.subject = excluded.subject and p.before = 0)
      returning w.subject, w.second_start, w.second_used, w.minute_used, w.admitted
  )
  select p.caller, p.owner_id, null, null, null, p.role, p.tier, c.second_start, c.second_used, c.minute_used, c.admitted,
    p.before
  from placed p join counted c on c.subject = p.subject;
end $$;

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

-- Daily limits on what is kept for ever (KeptStore of domain/quotas/pools.ts).

-- Counts what a transaction keeps against the UTC day of each subject, in their order, or against none. refused: the position of
-- the first subject whose limit it passes, null if it passes none; kept and used_bytes: what that subject has kept on the day.
-- The rows are locked until the transaction ends: it is the last statement of its transaction, so that none waits for another.
create or replace function app.keep(subjects bytea[], of_kind text, more int, more_bytes bigint, mosts int[],
  mosts_bytes bigint[])
returns table (refused int, kept int, used_bytes bigint, told_at timestamptz) language plpgsql volatile as $$
#variable_conflict use_column
declare
  today date := (app.limits_now() at time zone 'UTC')::date;
begin
  begin
    for i in 1 .. cardinality(subjects) loop
      insert into app.kept_days as k (subject, kind, day, kept, bytes, most, most_bytes)
        select subjects[i], of_kind, today, more, more_bytes, mosts[i], mosts_bytes[i]
        where more <= mosts[i] and more_bytes <= mosts_bytes[i]
        on conflict (subject, kind, day) do update set kept = k.kept + excluded.kept, bytes = k.bytes + excluded.bytes,
            most = excluded.most, most_bytes = excluded.most_bytes
          where k.kept + excluded.kept <= excluded.most and k.bytes + excluded.bytes <= excluded.most_bytes;
      if not found then
        refused := i;
        raise sqlstate 'SB000';
      end if;
    end loop;
  exception when sqlstate 'SB000' then
    select k.kept, k.bytes into kept, used_bytes from app.kept_days k
      where k.subject = subjects[refused] and k.kind = of_kind and k.day = today;
  end;
  kept := coalesce(kept, 0);
  used_bytes := coalesce(used_bytes, 0);
  told_at := app.now();
  return next;
end $$;

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
