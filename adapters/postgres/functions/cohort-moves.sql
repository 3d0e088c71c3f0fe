-- What each direction would have got: records by the range of their move.

create or replace function app.join_moves(a bigint[], b bigint[]) returns bigint[] immutable language sql
  return array[a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4],
    a[5] + b[5], a[6] + b[6], a[7] + b[7], a[8] + b[8],
    a[9] + b[9], a[10] + b[10], a[11] + b[11]];
comment on function app.join_moves is 'The sum of two counts of records by range.';

-- With the rights of the owner of the schema: the service's role changes no move of a graded record. Of each record it is set
-- once, to a range.
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
