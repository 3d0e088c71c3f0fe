-- The cells of cohorts: their periods, their owners, their rollups, and what further ones need as markets grow.

-- Calendar periods in UTC, by which cells are kept.

create or replace function app.period_start(period text, at timestamptz) returns timestamptz stable language sql as $$
  select case period when 'all' then '-infinity'::timestamptz
    when 'six_hours' then date_bin('6 hours', at, timestamptz 'epoch') else date_trunc(period, at, 'UTC') end
$$;

create or replace function app.period_end(period text, at timestamptz) returns timestamptz stable language sql as $$
  select case period when 'all' then 'infinity'::timestamptz
    when 'six_hours' then date_bin('6 hours', at, timestamptz 'epoch') + interval '6 hours'
    else (date_trunc(period, at at time zone 'UTC') + ('1 ' || period)::interval) at time zone 'UTC' end
$$;

-- The owners of a cell.

create or replace function app.owners_of_a_cell() returns int immutable language sql return 32;
comment on function app.owners_of_a_cell is
  'COHORT.mostMinProducers of domain/limits.ts. An aggregate takes no parameter, and cells that are there hold as many.';

create or replace function app.join_owners(a uuid[], b uuid[]) returns uuid[] immutable language plpgsql as $$
declare
  joined uuid[] := a;
  owner_id uuid;
  place int;
begin
  foreach owner_id in array b loop
    place := width_bucket(owner_id, joined);
    continue when place = app.owners_of_a_cell() or (place > 0 and joined[place] = owner_id);
    joined := (joined[1:place] || owner_id || joined[place + 1:])[1:app.owners_of_a_cell()];
  end loop;
  return joined;
end $$;
comment on function app.join_owners is 'The first owners of two sets in ascending order.';
create or replace aggregate app.some_owners(uuid[]) (sfunc = app.join_owners, stype = uuid[], initcond = '{}');

-- The cells of cohorts: counted from records, or added up from finer cells
-- (docs/adr/0006-cohorts-are-cells-and-a-tail.md).

create or replace function app.lock_cohort_cells() returns void language sql
  as $$ select pg_advisory_xact_lock(7382614906) $$;
comment on function app.lock_cohort_cells() is
  'A transaction that changes cells holds it to its end. A record that enters the tail does not wait for it.';

create or replace function app.lock_cohort_folds() returns void language sql
  as $$ select pg_advisory_xact_lock(7382614918) $$;
comment on function app.lock_cohort_folds() is
  'Taken before the lock of the cells by all that changes cells but a quarantine, which so waits for no long count.';

create or replace function app.note_removals(of_markets text[]) returns void language sql as $$
  select app.lock_cohort_cells();
  insert into app.cohort_removals as r select m.market, 1 from unnest(of_markets) m(market) group by 1 order by 1
  on conflict (market) do update set removals = r.removals + 1
$$;
comment on function app.note_removals is
  'Takes the lock of the cells. To be called by all that takes records out of cohorts of these markets, or moves them to others.';

create or replace function app.counts_market(r app.cohort_rollups, market text) returns boolean immutable language sql
  return r.markets is null or market = any(r.markets);
comment on function app.counts_market is 'Whether the rollup has the cells of a market.';

create or replace function app.counts_further(r app.cohort_rollups) returns boolean immutable language sql
  return r.horizon_kind and r.horizon_value;
comment on function app.counts_further is
  'Whether the rollup has cells of further horizons of decision groups: only where they can be asked for by their horizon.';

create or replace function app.finer_rollup(r app.cohort_rollups, market text) returns app.cohort_rollups stable
language sql as $$
  with recursive chain as (
    select f.* from app.cohort_rollups f where f.rollup = r.finer
    union all
    select f.* from chain c join app.cohort_rollups f on f.rollup = c.finer
  )
  select chain.* from chain where chain.markets is null or $2 = any(chain.markets) order by rollup limit 1
$$;
comment on function app.finer_rollup is 'The nearest rollup that its cells of a market add up from; null where they are counted from records.';

-- Custom plans here and below: conditions that do not concern the rollup are gone from them.
create or replace function app.counted_cells(r app.cohort_rollups, gone app.decisions)
returns setof app.cohort_cells stable language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  everyone boolean := gone.record_id is null;
  moment timestamptz := case r.clock when 'data_cutoff' then gone.data_cutoff else gone.evaluated_at end;
  since timestamptz := app.period_start(r.period, moment);
  until timestamptz := app.period_end(r.period, moment);
begin
  return query
  select r.rollup, d.market,
    case when r.symbol then d.symbol else '' end,
    case when r.venue then d.venue else '' end,
    case when r.asset_class then d.asset_class else '' end,
    case when r.quote_currency then d.quote_currency else '' end,
    case when r.cohort_key then d.cohort_key else '' end,
    case when r.direction then d.direction else '' end,
    case when r.analysis_class then d.analysis_class else '' end,
    case when r.horizon_kind then d.horizon_kind else '' end,
    case when r.horizon_value then d.horizon_value else -1 end,
    app.period_start(r.period, case r.clock when 'data_cutoff' then d.data_cutoff else d.evaluated_at end),
    coalesce(d.perspective_type, ''), d.result_bucket,
    app.cell_origin(d.submission_origin, d.cohort_exception, d.group_place),
    count(*), min(d.data_cutoff), max(d.data_cutoff), app.some_owners(array[d.owner_id]),
    array[
      count(*) filter (where d.move = 0),
      count(*) filter (where d.move = 1),
      count(*) filter (where d.move = 2),
      count(*) filter (where d.move = 3),
      count(*) filter (where d.move = 4),
      count(*) filter (where d.move = 5),
      count(*) filter (where d.move = 6),
      count(*) filter (where d.move = 7),
      count(*) filter (where d.move = 8),
      count(*) filter (where d.move = 9),
      count(*) filter (where d.move = 10)],
    d.method, coalesce(d.grid, ''), max(d.evaluated_at)
  from app.cohort_decisions d
  where (gone.market is null or d.market = gone.market) and app.counts_market(r, d.market)
    and (app.counts_further(r) or not app.is_further(d.group_place))
    and (everyone or not r.symbol or d.symbol = gone.symbol)
    and (everyone or not r.venue or d.venue = gone.venue)
    and (everyone or not r.asset_class or d.asset_class = gone.asset_class)
    and (everyone or not r.quote_currency or d.quote_currency = gone.quote_currency)
    and (everyone or not r.cohort_key or d.cohort_key = gone.cohort_key)
    and (everyone or not r.direction or d.direction = gone.direction)
    and (everyone or not r.analysis_class or d.analysis_class = gone.analysis_class)
    and (everyone or not r.horizon_kind or d.horizon_kind = gone.horizon_kind)
    and (everyone or not r.horizon_value or d.horizon_value = gone.horizon_value)
    and (everyone or r.period = 'all' or r.clock <> 'data_cutoff'
      or (d.data_cutoff >= since and d.data_cutoff < until))
    and (everyone or r.period = 'all' or r.clock <> 'evaluated_at'
      or (d.evaluated_at >= since and d.evaluated_at < until))
    and (everyone or coalesce(d.perspective_type, '') = coalesce(gone.perspective_type, ''))
    and (everyone or (d.result_bucket = gone.result_bucket and d.submission_origin = gone.submission_origin
      and app.cell_origin(d.submission_origin, d.cohort_exception, d.group_place)
        = app.cell_origin(gone.submission_origin, gone.cohort_exception, gone.group_place)
      and d.method = gone.method and d.grid is not distinct from gone.grid))
    and not exists (select from app.cohort_tail t where t.record_id = d.record_id)
  group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 21, 22;
end $$;
comment on function app.counted_cells is 'The cells of a rollup, counted anew from the records; of one market or record alone where that is given.';

create or replace function app.added_up_cells(r app.cohort_rollups, gone app.decisions)
returns setof app.cohort_cells stable language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  everyone boolean := gone.record_id is null;
  moment timestamptz := case r.clock when 'data_cutoff' then gone.data_cutoff else gone.evaluated_at end;
  f app.cohort_rollups;
begin
  f := app.finer_rollup(r, gone.market);
  return query
  select r.rollup, c.market,
    case when r.symbol then c.symbol else '' end,
    case when r.venue then c.venue else '' end,
    case when r.asset_class then c.asset_class else '' end,
    case when r.quote_currency then c.quote_currency else '' end,
    case when r.cohort_key then c.cohort_key else '' end,
    case when r.direction then c.direction else '' end,
    case when r.analysis_class then c.analysis_class else '' end,
    case when r.horizon_kind then c.horizon_kind else '' end,
    case when r.horizon_value then c.horizon_value else -1 end,
    app.period_start(r.period, c.since), c.perspective_type, c.result_bucket, c.submission_origin,
    sum(n)::bigint, min(earliest), max(latest), app.some_owners(owners),
    array[
      sum(c.moves[1])::bigint,
      sum(c.moves[2])::bigint,
      sum(c.moves[3])::bigint,
      sum(c.moves[4])::bigint,
      sum(c.moves[5])::bigint,
      sum(c.moves[6])::bigint,
      sum(c.moves[7])::bigint,
      sum(c.moves[8])::bigint,
      sum(c.moves[9])::bigint,
      sum(c.moves[10])::bigint,
      sum(c.moves[11])::bigint],
    c.method, c.grid, case when bool_and(c.last_graded is not null) then max(c.last_graded) end
  from app.cohort_cells c
  where c.rollup = f.rollup and c.market = gone.market
    and (app.counts_further(r) or not app.is_further_origin(c.submission_origin))
    and (c.symbol = '' or f.symbol)
    and (everyone or not r.symbol or c.symbol = gone.symbol)
    and (c.venue = '' or f.venue)
    and (everyone or not r.venue or c.venue = gone.venue)
    and (c.asset_class = '' or f.asset_class)
    and (everyone or not r.asset_class or c.asset_class = gone.asset_class)
    and (c.quote_currency = '' or f.quote_currency)
    and (everyone or not r.quote_currency or c.quote_currency = gone.quote_currency)
    and (c.cohort_key = '' or f.cohort_key)
    and (everyone or not r.cohort_key or c.cohort_key = gone.cohort_key)
    and (c.direction = '' or f.direction)
    and (everyone or not r.direction or c.direction = gone.direction)
    and (c.analysis_class = '' or f.analysis_class)
    and (everyone or not r.analysis_class or c.analysis_class = gone.analysis_class)
    and (c.horizon_kind = '' or f.horizon_kind)
    and (everyone or not r.horizon_kind or c.horizon_kind = gone.horizon_kind)
    and (c.horizon_value = -1 or f.horizon_value)
    and (everyone or not r.horizon_value or c.horizon_value = gone.horizon_value)
    and (everyone or r.period = 'all' or (c.since >= app.period_start(r.period, moment)
      and c.since < app.period_end(r.period, moment)))
    and (everyone or (c.perspective_type = coalesce(gone.perspective_type, '')
      and c.result_bucket = gone.result_bucket
      and c.submission_origin = app.cell_origin(gone.submission_origin, gone.cohort_exception, gone.group_place)
      and c.method = gone.method and c.grid = coalesce(gone.grid, '')))
  group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 21, 22;
end $$;
comment on function app.added_up_cells is 'The same from the cells of its finer rollup.';

create or replace function app.cells_anew(r app.cohort_rollups, gone app.decisions) returns setof app.cohort_cells stable
language plpgsql as $$
begin
  if (app.finer_rollup(r, gone.market)).rollup is null then
    return query select * from app.counted_cells(r, gone);
  else
    return query select * from app.added_up_cells(r, gone);
  end if;
end $$;
comment on function app.cells_anew is 'The cells of a market, or of one of its records, by the shorter of the two ways.';

create or replace function app.insert_cells(r app.cohort_rollups, gone app.decisions) returns void language sql as $$
  insert into app.cohort_cells select * from app.cells_anew(r, gone)
$$;
comment on function app.insert_cells is 'Inserts the cells of a market, or of one of its records, that are not there.';

create or replace function app.recount_cell(r app.cohort_rollups, gone app.decisions) returns void language plpgsql
set plan_cache_mode = force_custom_plan as $$
begin
  delete from app.cohort_cells c where c.rollup = r.rollup and c.market = gone.market
    and c.symbol = case when r.symbol then gone.symbol else '' end
    and c.venue = case when r.venue then gone.venue else '' end
    and c.asset_class = case when r.asset_class then gone.asset_class else '' end
    and c.quote_currency = case when r.quote_currency then gone.quote_currency else '' end
    and c.cohort_key = case when r.cohort_key then gone.cohort_key else '' end
    and c.direction = case when r.direction then gone.direction else '' end
    and c.analysis_class = case when r.analysis_class then gone.analysis_class else '' end
    and c.horizon_kind = case when r.horizon_kind then gone.horizon_kind else '' end
    and c.horizon_value = case when r.horizon_value then gone.horizon_value else -1 end
    and c.since = app.period_start(r.period,
      case r.clock when 'data_cutoff' then gone.data_cutoff else gone.evaluated_at end)
    and c.perspective_type = coalesce(gone.perspective_type, '')
    and c.result_bucket = gone.result_bucket
    and c.submission_origin = app.cell_origin(gone.submission_origin, gone.cohort_exception, gone.group_place)
    and c.method = gone.method and c.grid = coalesce(gone.grid, '');
  perform app.insert_cells(r, gone);
end $$;
comment on function app.recount_cell is 'Counts the cell of a rollup that a record is or was in.';

create or replace function app.recount_cells(gone app.decisions) returns void language plpgsql
set plan_cache_mode = force_custom_plan as $$
declare r app.cohort_rollups;
begin
  -- The finer ones first.
  for r in select * from app.cohort_rollups k where app.counts_market(k, gone.market) order by rollup desc loop
    perform app.recount_cell(r, gone);
  end loop;
end $$;

-- Cells of further rollups, as markets grow.

create or replace function app.next_extension(records bigint) returns table (rollup smallint, market text) stable
language sql as $$
  select r.rollup, s.market
  from app.cohort_rollups r cross join (
    select market, sum(n) as whole, max(n) as month
    from (select market, since, sum(n) as n from app.cohort_cells where rollup = 2 group by 1, 2) months group by 1
    union all
    select market, sum(n), 0 from app.cohort_cells where rollup = 1 group by 1
  ) s
  where not app.counts_market(r, s.market)
    and case r.period when 'day' then s.month when 'six_hours' then s.month / 30 else s.whole end
      >= records * 10 ^ (r.symbol::int + r.venue::int + r.direction::int + r.horizon_kind::int)
  union all
  select k.rollup, unnest(k.without_last_graded) collate "C" from app.cohort_rollups k
  -- The finer ones first.
  order by 1 desc, 2 limit 1
$$;
comment on function app.next_extension is 'A rollup and a market whose cells are to be made: by years and months where the market has so many records, by days where one of its months has, by quarters of days where its days have on average, and of ten times as many for each of symbol, venue, direction and horizon that they distinguish; else where cells of an earlier release lack last_graded.';

create or replace function app.grade_cells(r app.cohort_rollups, gone app.decisions) returns void language plpgsql as $$
begin
  update app.cohort_cells c set last_graded = k.last_graded from app.cells_anew(r, gone) k
    where c.last_graded is null and (c.rollup, c.market, c.symbol, c.venue, c.asset_class, c.quote_currency, c.cohort_key,
        c.direction, c.analysis_class, c.horizon_kind, c.horizon_value, c.since, c.perspective_type, c.result_bucket,
        c.submission_origin, c.method, c.grid)
      = (k.rollup, k.market, k.symbol, k.venue, k.asset_class, k.quote_currency, k.cohort_key,
        k.direction, k.analysis_class, k.horizon_kind, k.horizon_value, k.since, k.perspective_type, k.result_bucket,
        k.submission_origin, k.method, k.grid);
  -- Cells that no record counts in, or that a quarantine has added up meanwhile.
  if exists (select from app.cohort_cells c
      where c.rollup = r.rollup and c.market = gone.market and c.last_graded is null) then
    perform app.lock_cohort_cells();
    delete from app.cohort_cells c where c.rollup = r.rollup and c.market = gone.market;
    perform app.insert_cells(r, gone);
  end if;
  update app.cohort_rollups k set without_last_graded = array_remove(k.without_last_graded, gone.market)
    where k.rollup = r.rollup;
end $$;
comment on function app.grade_cells is 'Sets last_graded of the cells of a market that lack it. A quarantine waits for the update alone, if it changes the same cells.';

create or replace function app.begin_cells(r app.cohort_rollups, gone app.decisions) returns void language plpgsql as $$
declare
  seen bigint := (select max(seq) from app.audit_log);
  moderated app.decisions;
begin
  r.markets := r.markets || gone.market;
  -- Functions of an earlier release count into all rollups.
  delete from app.cohort_cells c where c.rollup = r.rollup and c.market = gone.market;
  perform app.insert_cells(r, gone);
  perform app.lock_cohort_cells();
  -- Each has its entry of the audit log in its own transaction, and entries are committed in the order of their numbers.
  for moderated in
    select d.* from app.decisions d where d.market = gone.market and d.evaluated_at is not null and d.record_id in (
      select l.subject from app.audit_log l where l.seq > coalesce(seen, 0) and l.action in ('quarantine', 'release'))
  loop
    perform app.recount_cell(r, moderated);
  end loop;
  update app.cohort_rollups k set markets = r.markets where k.rollup = r.rollup;
end $$;
comment on function app.begin_cells is 'Makes the cells of a market that the rollup does not have. A quarantine waits only for the recount of those that came while the records were counted.';

create or replace function app.extend_rollups(records bigint) returns int language plpgsql volatile
security definer set search_path = pg_catalog, pg_temp as $$
declare
  r app.cohort_rollups;
  gone app.decisions;
begin
  if not exists (select from app.next_extension(records)) then return 0; end if;
  perform app.lock_cohort_folds();
  select e.market into gone.market from app.next_extension(records) e;
  select k.* into r from app.next_extension(records) e join app.cohort_rollups k using (rollup);
  if not found then return 0; end if;
  if app.counts_market(r, gone.market) then
    perform app.grade_cells(r, gone);
  else
    perform app.begin_cells(r, gone);
  end if;
  return 1;
end $$;
comment on function app.extend_rollups is 'Makes the cells of a rollup and a market, if some are missing; how many of them it were.';
