-- The tail of cohorts: records enter it when they become public, and a sweep folds them into the cells. Only the owner of the
-- schema changes the tables that cohorts are counted from; the functions that do have the rights of the owner, and the
-- service's role gives them no count.

create or replace function app.count_in_cohorts() returns trigger language plpgsql volatile
security definer set search_path = pg_catalog, pg_temp as $$
declare counted boolean := false;
begin
  if tg_op <> 'INSERT' and app.is_public(old.lifecycle_state) then
    perform app.lock_cohort_cells();
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
