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
