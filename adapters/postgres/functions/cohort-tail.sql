-- The tail of cohorts, from which their cells are counted: the ranges of moves, the tail, and the check of what was counted.

-- What each direction would have got: records by the range of their move.

create or replace function app.join_moves(a bigint[], b bigint[]) returns bigint[] immutable language sql
  return array[a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4],
    a[5] + b[5], a[6] + b[6], a[7] + b[7], a[8] + b[8],
    a[9] + b[9], a[10] + b[10], a[11] + b[11]];
comment on function app.join_moves is 'The sum of two counts of records by range.';

create or replace function app.range_of_move(direction text, facts jsonb) returns smallint immutable language sql
  return (select (case when m < -1.150349 then 0 when m < -0.67449 then 1 when m = -0.67449 then 2
      when m < -0.318639 then 3 when m < 0 then 4 when m = 0 then 5 when m <= 0.318639 then 6 when m < 0.67449 then 7
      when m = 0.67449 then 8 when m <= 1.150349 then 9 else 10 end)::smallint
    from (select case when direction = 'bullish' then z when direction = 'bearish' or raw_return < 0 then -z else z end as m
      from (select (facts ->> 'z')::numeric as z, (facts ->> 'raw_return')::numeric as raw_return) stored) moved);
comment on function app.range_of_move is 'moveRange of domain/grading/bucket.ts, of the facts of an outcome.';

create or replace function app.exception_of(facts jsonb) returns text immutable language sql
  return case when facts ->> 'method' = 'eval/1' then null
    when facts @> '{"suspected_split": true}' or facts @> '{"method": "eval/3", "suspected_price": true}'
      then 'suspected_split'
    when facts @> '{"carried_open": true}' then 'carried_open' end;
comment on function app.exception_of is 'cohortException of domain/grading/cohort-exception.ts.';

create or replace function app.grid_of(facts jsonb) returns text immutable language sql
  return case when facts ->> 'method' = 'eval/1' then null
    when (facts ->> 'grid_z')::numeric <= 0.1 then 'fine' when facts ? 'grid_z' then 'coarse' end;
comment on function app.grid_of is 'gridOf of domain/grading/grid.ts.';

-- A realtime record is counted by the step in sigmas of the window that others see, which begins and ends with a minute. The
-- window of a coin is its time. That of a stock hangs on the calendar, which the database does not have, but it weighs at
-- least what lies between entry and exit. The minute of its begin adds at most that part of the shortest session, an hour;
-- that of its end takes away as much, and the night before an open within it. Either width may be where the bounds of the
-- step are on both sides: check-cohorts finds a wrong one.
create or replace function app.grid_fits(grid text, facts jsonb, market text, origin text, anchored timestamptz, ending timestamptz)
returns boolean stable language sql
  return case when origin = 'retroactive' or app.grid_of(facts) is null or grid is null
      then grid is not distinct from app.grid_of(facts)
    when market = 'crypto' then (select grid in (app.grid_of(jsonb_build_object('grid_z', seen - 1e-9)),
        app.grid_of(jsonb_build_object('grid_z', seen + 1e-9)))
      from (select (facts ->> 'grid_z')::float8 * case when shown > 0 then sqrt(exact / shown) else 1 end as seen
        from (select extract(epoch from ending - anchored)::float8 as exact, extract(epoch from
          date_trunc('minute', ending, 'UTC') - date_trunc('minute', anchored, 'UTC'))::float8 as shown) windows) steps)
    else (select case grid when 'fine' then step * case when tau + gained > 0 then sqrt(tau / (tau + gained)) else 0 end <= 0.1 + 1e-9
          when 'coarse' then tau <= lost or step * sqrt(tau / (tau - lost)) > 0.1 - 1e-9 end
      from (select (facts ->> 'grid_z')::float8 as step, coalesce((facts ->> 'tau')::float8, 0) as tau,
          (1 - night) * begun / 3600 as gained, case when ended > 0 then night + (1 - night) * ended / 3600 else 0 end as lost
        from (select coalesce((facts ->> 'omega')::float8, 0) as night,
          extract(epoch from anchored - date_trunc('minute', anchored, 'UTC'))::float8 as begun,
          extract(epoch from ending - date_trunc('minute', ending, 'UTC'))::float8 as ended) minutes) weights) end;
comment on function app.grid_fits is 'Whether this can be publicGrid of domain/decisions/views/views.ts.';

-- With the rights of the owner of the schema: the service's role changes no move of a graded record. Of each record it is set
-- once, to the range that follows from its outcome.
create or replace function app.count_moves(ids text[], ranges smallint[]) returns int language plpgsql volatile
security definer set search_path = pg_catalog, pg_temp as $$
declare
  held text[];
  records app.cohort_tail[];
begin
  if exists (select from unnest(ranges) r(place) where r.place is null or r.place not between 0 and 10) then
    raise exception 'There are no such ranges of moves: %', ranges using errcode = '42501';
  end if;
  perform app.lock_cohort_folds();
  -- The rows first, then the cells: in the order in which a quarantine takes them, so that the two never deadlock.
  held := array(select record_id from app.decisions where record_id = any(ids) and move is null
    for no key update skip locked);
  if exists (select from unnest(ids, ranges) r(record_id, place)
      join app.decisions d on d.record_id = r.record_id join app.decision_outcomes o on o.record_id = r.record_id
      where r.record_id = any(held) and r.place <> app.range_of_move(d.direction, o.facts)) then
    raise exception 'UPDATE on decisions is refused: these ranges do not follow from the outcomes' using errcode = '42501';
  end if;
  perform app.lock_cohort_cells();
  update app.decisions d set move = r.move
  from unnest(ids, ranges) as r(record_id, move)
  where d.record_id = r.record_id and d.record_id = any(held);
  update app.cohort_tail t set move = r.move
  from unnest(ids, ranges) as r(record_id, move)
  where t.record_id = r.record_id and t.record_id = any(held);
  records := array(
    select row(p.*)::app.cohort_tail from app.public_records p
    where p.record_id = any(held) and not exists (select from app.cohort_tail t where t.record_id = p.record_id));
  insert into app.cohort_cells as c
  select * from app.cells_of(records)
  on conflict (
    rollup, market, symbol, venue, asset_class, quote_currency, cohort_key, direction, analysis_class, horizon_kind,
    horizon_value, since, perspective_type, result_bucket, submission_origin, method, grid)
  do update set moves = app.join_moves(c.moves, excluded.moves);
  return cardinality(held);
end $$;
comment on function app.count_moves is 'Notes the ranges of records that an earlier release graded, and counts them in the cells that count the records; how many it were.';

-- The tail of cohorts: records enter it when they become public, and a sweep folds them into the cells. Only the owner of the
-- schema changes the tables that cohorts are counted from; the functions that do have the rights of the owner, and the
-- service's role gives them no count.

create or replace function app.count_in_cohorts() returns trigger language plpgsql volatile
security definer set search_path = pg_catalog, pg_temp as $$
declare counted boolean := false;
begin
  if tg_op <> 'INSERT' and app.is_public(old.lifecycle_state) then
    perform app.note_removals(array[old.market]);
    delete from app.cohort_tail where record_id = old.record_id;
    counted := not found and app.counted_as(old.submission_origin, old.cohort_exception) is not null;
  end if;
  if tg_op <> 'DELETE' and app.is_public(new.lifecycle_state)
    and app.counted_as(new.submission_origin, new.cohort_exception) is not null then
    insert into app.cohort_tail (
      record_id, owner_id, market, symbol, venue, asset_class, quote_currency, cohort_key, direction, analysis_class,
      horizon_kind, horizon_value, perspective_type, result_bucket, submission_origin, data_cutoff, evaluated_at, move,
      method, grid)
    values (
      new.record_id, new.owner_id, new.market, new.symbol, new.venue, new.asset_class, new.quote_currency,
      new.cohort_key, new.direction, new.analysis_class, new.horizon_kind, new.horizon_value,
      coalesce(new.perspective_type, ''), new.result_bucket,
      app.cell_origin(new.submission_origin, new.cohort_exception, new.group_place), new.data_cutoff, new.evaluated_at, new.move, new.method, coalesce(new.grid, ''));
  end if;
  if counted then perform app.recount_cells(old); end if;
  return null;
end $$;

create or replace trigger count_new after insert on app.decisions for each row
  when (app.is_public(new.lifecycle_state)) execute function app.count_in_cohorts();
create or replace trigger count_changed after update on app.decisions for each row
  when ((app.is_public(old.lifecycle_state) or app.is_public(new.lifecycle_state))
    and (old.lifecycle_state, old.owner_id, old.result_bucket, old.evaluated_at)
      is distinct from (new.lifecycle_state, new.owner_id, new.result_bucket, new.evaluated_at))
  execute function app.count_in_cohorts();
create or replace trigger count_removed after delete on app.decisions for each row
  when (app.is_public(old.lifecycle_state)) execute function app.count_in_cohorts();

create or replace function app.cells_of(records app.cohort_tail[]) returns setof app.cohort_cells stable language sql as $$
  select r.rollup, t.market,
    case when r.symbol then t.symbol else '' end,
    case when r.venue then t.venue else '' end,
    case when r.asset_class then t.asset_class else '' end,
    case when r.quote_currency then t.quote_currency else '' end,
    case when r.cohort_key then t.cohort_key else '' end,
    case when r.direction then t.direction else '' end,
    case when r.analysis_class then t.analysis_class else '' end,
    case when r.horizon_kind then t.horizon_kind else '' end,
    case when r.horizon_value then t.horizon_value else -1 end,
    app.period_start(r.period, case r.clock when 'data_cutoff' then t.data_cutoff else t.evaluated_at end),
    t.perspective_type, t.result_bucket, t.submission_origin,
    count(*), min(t.data_cutoff), max(t.data_cutoff),
    -- A distinct aggregate would sort all rows.
    case count(*) when 1 then array_agg(t.owner_id) else app.join_owners('{}', array_agg(t.owner_id)) end,
    array[
      count(*) filter (where t.move = 0),
      count(*) filter (where t.move = 1),
      count(*) filter (where t.move = 2),
      count(*) filter (where t.move = 3),
      count(*) filter (where t.move = 4),
      count(*) filter (where t.move = 5),
      count(*) filter (where t.move = 6),
      count(*) filter (where t.move = 7),
      count(*) filter (where t.move = 8),
      count(*) filter (where t.move = 9),
      count(*) filter (where t.move = 10)],
    t.method, t.grid, max(t.evaluated_at)
  from unnest(records) t join app.cohort_rollups r on app.counts_market(r, t.market)
    and (app.counts_further(r) or not app.is_further_origin(t.submission_origin))
  group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 21, 22
$$;
comment on function app.cells_of is 'The cells that count these records, as if there were no others.';

-- The memory is for the cells of 2,000 records, which are grouped by a hash. Most cells have the owners of a batch already, or
-- as many as they hold that come before them.
create or replace function app.fold_cohorts(batch int) returns int language plpgsql volatile
security definer set search_path = pg_catalog, pg_temp set work_mem = '64MB' as $$
declare folded int;
begin
  perform app.lock_cohort_folds();
  perform app.lock_cohort_cells();
  with taken as (
    delete from app.cohort_tail t where record_id in (select record_id from app.cohort_tail limit batch)
    returning t as record
  ), merged as (
    insert into app.cohort_cells as c
    select * from app.cells_of(array(select record from taken))
    on conflict (
      rollup, market, symbol, venue, asset_class, quote_currency, cohort_key, direction, analysis_class, horizon_kind,
      horizon_value, since, perspective_type, result_bucket, submission_origin, method, grid)
    do update set n = c.n + excluded.n, earliest = least(c.earliest, excluded.earliest),
      latest = greatest(c.latest, excluded.latest), moves = app.join_moves(c.moves, excluded.moves),
      owners = case when c.owners @> excluded.owners or c.owners[app.owners_of_a_cell()] < excluded.owners[1]
        then c.owners else app.join_owners(c.owners, excluded.owners) end,
      last_graded = case when c.last_graded is not null then greatest(c.last_graded, excluded.last_graded) end
  )
  select count(*) into folded from taken;
  return folded;
end $$;
comment on function app.fold_cohorts is 'Moves up to so many records from the tail into the cells; how many it were.';

-- All cells counted anew, and compared with the records.

-- With the rights of the owner of the schema: `check-cohorts --rebuild` sets what cohorts count by to what follows from the
-- outcome of each record, which the domain computes. It counts all cells anew, so that what it takes from the tail stays counted.
create or replace function app.correct_counted(ids text[], moves smallint[], grids text[], exceptions text[]) returns void
language plpgsql volatile
security definer set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select from unnest(moves, grids, exceptions) r(move, grid, exception)
      where r.move not between 0 and 10 or r.grid not in ('fine', 'coarse')
        or r.exception not in ('suspected_split', 'carried_open', 'wrong_security')) then
    raise exception 'UPDATE on decisions is refused: cohorts count by no such values' using errcode = '42501';
  end if;
  if exists (select from unnest(ids, moves, grids, exceptions) r(record_id, move, grid, exception)
      join app.decisions d on d.record_id = r.record_id join app.decision_outcomes o on o.record_id = r.record_id
      where (r.move is distinct from app.range_of_move(d.direction, o.facts) and not (r.move is null and d.move is null))
        or not app.grid_fits(r.grid, o.facts, d.market, d.submission_origin, d.anchor_time, d.end_time)
        -- Whose prices an outcome is by follows from the names.
        or (r.exception is distinct from app.exception_of(o.facts)
          and not (r.exception = 'wrong_security' and coalesce(d.cohort_exception = 'wrong_security', false)))) then
    raise exception 'UPDATE on decisions is refused: this does not follow from the outcomes' using errcode = '42501';
  end if;
  perform app.lock_cohort_folds();
  update app.decisions d set move = r.move, grid = r.grid, cohort_exception = r.exception
  from unnest(ids, moves, grids, exceptions) r(record_id, move, grid, exception)
  where d.record_id = r.record_id and d.evaluated_at is not null;
  perform app.lock_cohort_cells();
  delete from app.cohort_tail where record_id = any(ids);
  perform app.rebuild_cohort_cells();
end $$;
comment on function app.correct_counted is 'Sets what cohorts count graded records by, and counts all of them anew.';

create or replace function app.rebuild_cohort_cells() returns void language plpgsql volatile
security definer set search_path = pg_catalog, pg_temp as $$
declare
  market text;
  r app.cohort_rollups;
  gone app.decisions;
begin
  perform app.lock_cohort_folds();
  -- Also where the cells had counted what was not there.
  perform app.note_removals(array(select d.market from app.public_records d
    union select c.market from app.cohort_cells c where c.rollup = 1));
  delete from app.cohort_cells;
  for market in select distinct d.market from app.public_records d loop
    gone.market := market;
    for r in select * from app.cohort_rollups k where app.counts_market(k, gone.market) order by rollup desc loop
      perform app.insert_cells(r, gone);
    end loop;
  end loop;
  update app.cohort_rollups set without_last_graded = '{}' where without_last_graded <> '{}';
end $$;
comment on function app.rebuild_cohort_cells is 'Counts everything anew but the tail, which goes on to be folded.';

create or replace function app.cohort_cell_faults(asked int) returns table (cell text, kept text, counted text) stable
language plpgsql as $$
declare r app.cohort_rollups;
begin
  select * into strict r from app.cohort_rollups where rollup = asked;
  return query
  select concat_ws(' ', r.grain, r.period, 'of', r.clock,
      nullif(market::text, ''), nullif(symbol::text, ''), nullif(venue::text, ''), nullif(asset_class::text, ''),
      nullif(quote_currency::text, ''), nullif(cohort_key::text, ''), nullif(direction::text, ''),
      nullif(analysis_class::text, ''), nullif(horizon_kind::text, ''), nullif(horizon_value::text, ''),
      nullif(since::text, ''), nullif(perspective_type::text, ''), nullif(result_bucket::text, ''),
      nullif(submission_origin::text, ''), nullif(method::text, ''), nullif(grid::text, '')),
    k.n || ' from ' || k.earliest || ' to ' || k.latest || coalesce(', graded until ' || k.last_graded, '')
      || ' of ' || cardinality(k.owners) || ' owners, moves ' || k.moves::text,
    c.n || ' from ' || c.earliest || ' to ' || c.latest || coalesce(', graded until ' || c.last_graded, '')
      || ' of ' || cardinality(c.owners) || ' owners, moves ' || c.moves::text
  from (select * from app.cohort_cells where rollup = asked) k
  full join app.counted_cells(r, null) c using (
    rollup, market, symbol, venue, asset_class, quote_currency, cohort_key, direction, analysis_class, horizon_kind,
    horizon_value, since, perspective_type, result_bucket, submission_origin, method, grid)
  where (k.n, k.earliest, k.latest, k.owners, k.moves, coalesce(k.last_graded, c.last_graded))
    is distinct from (c.n, c.earliest, c.latest, c.owners, c.moves, c.last_graded);
end $$;
comment on function app.cohort_cell_faults is 'The cells of a rollup that differ from the records. Those of an earlier release have no last_graded.';
