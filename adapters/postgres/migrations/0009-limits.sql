-- What counts requests and daily pools exactly, for any number of processes (interface.md section 8).

create table app.limits_floor (
  only_one boolean primary key default true check (only_one),
  at timestamptz(3) not null
);
insert into app.limits_floor (at) values ('-infinity');
comment on table app.limits_floor is 'Counters from before it have been forgotten, so no window and no day before it opens again.';

create function app.limits_now() returns timestamptz language sql volatile
  as $$ select greatest(app.now(), f.at) from app.limits_floor f $$;
comment on function app.limits_now() is 'The clock of windows and days: app.now(), but never before what has been forgotten.';

-- The pool of checks is in the same table: a decision's has its record_id.
drop table app.quota_checks;
alter table app.quota_days
  add column record_id text not null default '',
  add column base int not null default 0,
  drop constraint quota_days_pkey,
  add primary key (owner_id, day, pool, record_id),
  drop constraint quota_days_pool_check,
  add check (pool in ('query', 'read', 'check')),
  add check ((pool = 'check') = (record_id <> '')),
  add check (used <= base + credit);
-- Room for new versions of a row beside it: no index changes when a request is counted.
alter table app.rate_windows set (fillfactor = 50);
alter table app.quota_days set (fillfactor = 70);
comment on column app.quota_days.base is 'What the pool held without credit when a unit was last taken.';

-- A request that asked to be let in, and what became of it; what is not proven or not spent is null.
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

-- Of the requests that are let in: takes the unit that each asks for, and tells how the pool of each stands.
create function app.spent(members app.admission[], today date) returns app.admission[] language plpgsql volatile as $$
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
    -- Some are not there yet, or went with the last unit that was given back.
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
    -- Each is there, and is locked: this only finds it by its key.
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

create function app.admit(key_hashes bytea[], session_hashes bytea[], issuers text[], subjects text[], addresses text[],
  address_minutes int[], caller_seconds int[], caller_minutes int[], pools text[], records text[], bases int[],
  units int[], session_idle interval, session_absolute interval, session_noted interval, patience_ms int default null)
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
    -- Nobody waits for the note: where two requests of a session meet, one of them writes it.
    update app.sessions s set last_seen_at = moment
      from (select n.session_hash from app.sessions n
        where n.session_hash = any(session_hashes)
          and n.last_seen_at > moment - session_idle and n.created_at > moment - session_absolute
          and n.last_seen_at <= moment - session_noted for no key update skip locked) n
      where s.session_hash = n.session_hash;
  end if;
  members := app.proven(key_hashes, session_hashes, issuers, subjects, addresses, address_minutes, caller_seconds,
    caller_minutes, pools, records, bases, units, moment - session_idle, moment - session_absolute);

  select array_agg(distinct m.window_of order by m.window_of) into windows
    from unnest(members) m where m.window_of is not null;
  loop
    perform from unnest(windows) each,
      lateral (select from app.rate_windows w where w.subject = each for update) locked;
    get diagnostics waiting = row_count;
    exit when waiting = coalesce(cardinality(windows), 0);
    -- Some are not there yet, or have just been forgotten.
    insert into app.rate_windows (subject, second_start, second_used, minute_start, minute_used)
      select each, '-infinity', 0, '-infinity', 0 from unnest(windows) each
      where (select w.subject from app.rate_windows w where w.subject = each) is null
      on conflict do nothing;
  end loop;

  -- Only now the time, so that a window which was waited for is the one that is counted in.
  moment := app.limits_now();
  members := app.counted(members, date_trunc('second', moment), date_trunc('minute', moment, 'UTC'));
  if exists (select from unnest(members) m where m.verdict = 'admitted' and m.pool is not null) then
    members := app.spent(members, (moment at time zone 'UTC')::date);
  end if;
  if not exists (select from unnest(members) m where m.verdict = 'admitted' and m.units > 0) then
    -- A crash may forget requests that were counted, never a unit that was spent.
    perform set_config('synchronous_commit', 'off', true);
  end if;
  moment := app.now();
  return query select m.ordinal, m.verdict, moment, m.owner_id, m.agent_id, m.key_prefix, m.permission_mode, m.role, m.tier,
      m.window_of, m.per_second, m.per_minute, m.rate_remaining, m.rate_reset, m.pool, m.record_id, m.base, m.units,
      m.quota_day, m.quota_used, m.quota_credit
    from unnest(members) m;
end $$;

-- Whom the requests speak for, at this moment, and the window that each is counted in.
create function app.proven(key_hashes bytea[], session_hashes bytea[], issuers text[], subjects text[], addresses text[],
  address_minutes int[], caller_seconds int[], caller_minutes int[], pools text[], records text[], bases int[],
  units int[], used_after timestamptz, begun_after timestamptz)
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

-- Counts the requests in their windows, which are locked. A window never goes back: when the clock did, the last one stays.
create function app.counted(members app.admission[], this_second timestamptz, this_minute timestamptz)
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
    -- Each is there, and is locked: this only finds it by its key.
    insert into app.rate_windows (subject, second_start, second_used, minute_start, minute_used)
      select (m).window_of, second_start, second_used + allowed, minute_start, minute_used + allowed
      from judged where place = 1 and allowed > 0 and (m).window_of is not null
      on conflict (subject) do update set second_start = excluded.second_start, second_used = excluded.second_used,
        minute_start = excluded.minute_start, minute_used = excluded.minute_used
  ), left_over as (
    -- After the request itself, or, for one that is refused, after all that were let in.
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

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant execute on all functions in schema app to %I', service);
  execute format('grant select, update on app.limits_floor to %I', service);
end $$;
