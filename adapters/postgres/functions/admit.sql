-- The admission of requests, up to a batch of them in one statement: it proves their credentials, counts both rate
-- windows, then takes units from the pools (settled.md section 7). Every lock of a window comes before every lock of a
-- pool, and each kind in one order, so that the batches of several processes never wait for each other in a ring.
-- A batch that would wait longer than patience_ms for a lock ends with SQLSTATE 55P03, having counted nothing; without
-- patience_ms the server's own limits hold.

-- A request to be admitted, and its verdict; columns that are not proven or not spent are null.
do $$ begin
  if to_regtype('app.admission') is null then
    create type app.admission as (
      ordinal int,
      verdict text,
      told_at timestamptz,
      owner_id uuid,
      agent_id text,
      key_prefix text,
      permission_mode text,
      role text,
      tier text,
      window_of text,
      per_second int,
      per_minute int,
      rate_remaining int,
      rate_reset timestamptz,
      pool text,
      record_id text,
      base int,
      units int,
      quota_day date,
      quota_used int,
      quota_credit int
    );
  end if;
end $$;

create or replace function app.admit(key_hashes bytea[], session_hashes bytea[], issuers text[], subjects text[],
  addresses text[], address_minutes int[], caller_seconds int[], caller_minutes int[], pools text[], records text[],
  bases int[], units int[], session_idle interval, session_absolute interval, session_noted interval, patience_ms int default null)
returns setof app.admission language plpgsql volatile
-- One plan, made while the tables were small, must do when they have grown.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  members app.admission[];
  windows text[];
  waiting int;
  moment timestamptz := app.now();
begin
  if patience_ms is not null then
    perform set_config('lock_timeout', patience_ms::text, true);
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
  members := app.proven(
    key_hashes => key_hashes, session_hashes => session_hashes, issuers => issuers, subjects => subjects,
    addresses => addresses, address_minutes => address_minutes, caller_seconds => caller_seconds,
    caller_minutes => caller_minutes, pools => pools, records => records, bases => bases, units => units,
    used_after => moment - session_idle, begun_after => moment - session_absolute);

  select array_agg(distinct m.window_of order by m.window_of) into windows
    from unnest(members) m where m.window_of is not null;
  loop
    perform from unnest(windows) each,
      lateral (select from app.rate_windows w where w.subject = each for update) locked;
    get diagnostics waiting = row_count;
    exit when waiting = coalesce(cardinality(windows), 0);
    -- Some windows do not exist yet, or have just been pruned.
    insert into app.rate_windows (subject, second_start, second_used, minute_start, minute_used)
      select each, '-infinity', 0, '-infinity', 0 from unnest(windows) each
      where (select w.subject from app.rate_windows w where w.subject = each) is null
      on conflict do nothing;
  end loop;

  -- The time is read after the locks, so that a request is counted in the window that holds when it is judged.
  moment := app.limits_now();
  members := app.counted(members, this_second => date_trunc('second', moment),
    this_minute => date_trunc('minute', moment, 'UTC'));
  if exists (select from unnest(members) m where m.verdict = 'admitted' and m.pool is not null) then
    members := app.spent(members, (moment at time zone 'UTC')::date);
  end if;
  if not exists (select from unnest(members) m where m.verdict = 'admitted' and m.units > 0) then
    -- A crash may forget requests that were counted, never a unit that was spent.
    perform set_config('synchronous_commit', 'off', true);
  end if;
  moment := app.now();
  return query select m.ordinal, m.verdict, moment, m.owner_id, m.agent_id, m.key_prefix, m.permission_mode, m.role,
      m.tier, m.window_of, m.per_second, m.per_minute, m.rate_remaining, m.rate_reset, m.pool, m.record_id, m.base, m.units,
      m.quota_day, m.quota_used, m.quota_credit
    from unnest(members) m;
end $$;

-- The caller of each request, at this moment, and the window that the request is counted in.
create or replace function app.proven(key_hashes bytea[], session_hashes bytea[], issuers text[], subjects text[],
  addresses text[], address_minutes int[], caller_seconds int[], caller_minutes int[], pools text[], records text[],
  bases int[], units int[], used_after timestamptz, begun_after timestamptz)
returns app.admission[] language plpgsql volatile as $$
declare result app.admission[];
begin
  select array_agg((
      r.ordinal - 1,
      case when r.issuer is not null and i.owner_id is null then 'stranger' end,
      null, o.owner_id, k.agent_id, k.key_prefix, k.permission_mode, o.role, o.tier,
      case
        when k.key_prefix is not null then 'key ' || k.key_prefix
        when o.owner_id is not null then 'owner ' || o.owner_id
        when r.issuer is null then r.address
      end,
      case when o.owner_id is not null then r.caller_second end,
      case when o.owner_id is not null then r.caller_minute else r.address_minute end,
      null, null,
      case when o.owner_id is not null then r.pool end, coalesce(r.record_id, ''), r.base,
      case when o.owner_id is not null then r.units else 0 end, null, null, null
    )::app.admission) into result
  from unnest(key_hashes, session_hashes, issuers, subjects, addresses, address_minutes, caller_seconds, caller_minutes,
      pools, records, bases, units) with ordinality
      r(key_hash, session_hash, issuer, subject, address, address_minute, caller_second, caller_minute,
        pool, record_id, base, units, ordinal)
    left join app.api_keys k on k.key_hash = r.key_hash and k.revoked_at is null
    left join app.sessions s on s.session_hash = r.session_hash and s.last_seen_at > used_after
      and s.created_at > begun_after
    left join app.identities i on i.issuer = r.issuer and i.subject = r.subject
    left join app.owners o on o.owner_id = coalesce(k.owner_id, s.owner_id, i.owner_id);
  return result;
end $$;
