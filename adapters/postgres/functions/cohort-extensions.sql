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
