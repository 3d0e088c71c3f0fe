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
comment on function app.range_of_move is 'moveRange of domain/grading/had-said.ts, of the facts of an outcome.';

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
