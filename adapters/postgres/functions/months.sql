-- The tables with partitions by month of the record id (docs/adr/0018-records-have-partitions-by-month.md). The first partition
-- has all records up to the month of its name, the partition `default` those of a month without one.

create or replace function app.month_start(month date) returns text language sql immutable
  as $$ select 'dec_' || to_char(month, 'YYYYMM') || '01' $$;
comment on function app.month_start is 'Ids of records that are received in the month or later are not before it.';

-- A partition has the triggers for each row of its table, but none of those for each statement.
create or replace procedure app.guard_partition(part regclass) language plpgsql as $$
declare
  guard record;
begin
  for guard in select g.tgname as name, h.inhparent::regclass as whole, pg_get_triggerdef(g.oid) as definition
      from pg_inherits h join pg_trigger g on g.tgrelid = h.inhparent
      where h.inhrelid = part and not g.tgisinternal and (g.tgtype & 1) = 0 loop
    execute replace(replace(guard.definition, 'CREATE TRIGGER', 'CREATE OR REPLACE TRIGGER'),
      format(' ON %s ', guard.whole), format(' ON %s ', part));
    execute format('alter table %s enable always trigger %I', part, guard.name);
  end loop;
end $$;

-- A month is missing when it is after the first partition and has none. A month that has records in the partition `default`
-- never gets one: evidence does not move. The catalogue is read as a table: after a wait for another session that made the
-- partition, `to_regclass` may still answer from the cache of this session.
create or replace function app.missing_month(out whole regclass, out month date) language plpgsql stable
security definer set search_path = pg_catalog, pg_temp as $$
declare
  is_taken boolean;
begin
  for whole, month in
    select t.oid, m.month::date
    from pg_class t, lateral (
      select min(substring(p.relname from '_([0-9]{6})$')) as name from pg_inherits h join pg_class p on p.oid = h.inhrelid
      where h.inhparent = t.oid
    ) first, generate_series(0, 2) ahead,
      lateral (select date_trunc('month', app.now() at time zone 'UTC') + ahead * interval '1 month' as month) m
    where t.relnamespace = 'app'::regnamespace and t.relkind = 'p' and to_char(m.month, 'YYYYMM') > first.name
      and not exists (
        select from pg_class p where p.relnamespace = t.relnamespace and p.relname = t.relname || to_char(m.month, '_YYYYMM'))
    order by m.month, t.relname
  loop
    execute format('select exists (select from %s_default where record_id >= $1 and record_id < $2)', whole)
      into is_taken using app.month_start(month), app.month_start((month + interval '1 month')::date);
    if not is_taken then
      return;
    end if;
  end loop;
  whole := null;
  month := null;
end $$;
comment on function app.missing_month() is 'The next partition to be made, up to two months ahead; null: none is missing.';

-- Attached instead of made in place: submissions, grades and reads go on, but for a moment. It waits for no lock for longer
-- than the timeout, and is undone then.
create or replace function app.add_month() returns text language plpgsql volatile
security definer set search_path = pg_catalog, pg_temp set lock_timeout = '250ms' as $$
declare
  missing record;
  part text;
begin
  select * into missing from app.missing_month();
  if missing.whole is null then
    return null;
  end if;
  perform pg_advisory_xact_lock(7382614918);
  select * into missing from app.missing_month();
  if missing.whole is null then
    return null;
  end if;
  part := missing.whole::text || to_char(missing.month, '_YYYYMM');
  execute format('create table %s (like %s including all)', part, missing.whole);
  -- First, as submissions and grades do.
  lock table app.decisions in share row exclusive mode;
  execute format('alter table %s attach partition %s for values from (%L) to (%L)', missing.whole, part,
    app.month_start(missing.month), app.month_start((missing.month + interval '1 month')::date));
  execute format('call app.guard_partition(%L)', part);
  return part;
end $$;
comment on function app.add_month() is 'Makes the next partition that is missing, up to two months ahead, and returns its name; null: none is missing.';

do $$ declare part regclass;
begin
  for part in select h.inhrelid from pg_inherits h join pg_class t on t.oid = h.inhparent
    where t.relnamespace = 'app'::regnamespace and t.relkind = 'p' loop
    call app.guard_partition(part);
  end loop;
end $$;
