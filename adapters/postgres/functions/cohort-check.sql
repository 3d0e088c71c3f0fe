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
  perform app.lock_cohort_cells();
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
