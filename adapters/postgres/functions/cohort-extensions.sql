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
      >= records * case when r.symbol or r.venue or r.direction or r.horizon_kind then 10 else 1 end
  union all
  (select c.rollup, c.market from app.cohort_cells c where c.last_graded is null order by c.rollup desc limit 1)
  -- The finer ones first.
  order by 1 desc, 2 limit 1
$$;
comment on function app.next_extension is 'A rollup and a market whose cells are to be made: by years and months where the market has so many records, by days where one of its months has, by quarters of days where its days have on average, and of ten times as many for cells by more than the market; else where cells of an earlier release lack last_graded.';

create or replace function app.extend_rollups(records bigint) returns int language plpgsql as $$
declare
  r app.cohort_rollups;
  gone app.decisions;
begin
  if not exists (select from app.next_extension(records)) then return 0; end if;
  perform app.lock_cohort_cells();
  select e.market into gone.market from app.next_extension(records) e;
  select k.* into r from app.next_extension(records) e join app.cohort_rollups k using (rollup);
  if not found then return 0; end if;
  -- Functions of an earlier release count into all rollups.
  delete from app.cohort_cells c where c.rollup = r.rollup and c.market = gone.market;
  if not app.counts_market(r, gone.market) then
    update app.cohort_rollups k set markets = k.markets || gone.market where k.rollup = r.rollup returning * into r;
  end if;
  perform app.insert_cells(r, gone);
  return 1;
end $$;
comment on function app.extend_rollups is 'Makes the cells of a rollup and a market, if some are missing; how many of them it were.';
