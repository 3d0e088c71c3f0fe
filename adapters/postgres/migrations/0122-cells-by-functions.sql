-- The service's role writes nothing that cohorts are counted from: the functions that do have the rights of the schema's
-- owner. Those of 0.5.0 get them here, because they run until those of this release are applied.

do $$
declare
  service text := current_setting('stancebook.service_role');
  writer regprocedure;
begin
  foreach writer in array array[to_regprocedure('app.count_in_cohorts()'), to_regprocedure('app.fold_cohorts(int)'),
    to_regprocedure('app.extend_rollups(bigint)'), to_regprocedure('app.rebuild_cohort_cells()'),
    to_regprocedure('app.count_moves(text[],smallint[])')]
  loop
    continue when writer is null;
    execute format('alter function %s security definer set search_path = pg_catalog, pg_temp', writer);
  end loop;
  if service::name <> (select pg_get_userbyid(nspowner) from pg_namespace where nspname = 'app') then
    execute format('revoke insert, update, delete on app.cohort_cells, app.cohort_tail, app.cohort_rollups from %I', service);
    execute format('revoke update (n, earliest, latest, owners, moves, last_graded) on app.cohort_cells from %I', service);
    execute format('revoke update (markets, without_last_graded) on app.cohort_rollups from %I', service);
  end if;
end $$;
