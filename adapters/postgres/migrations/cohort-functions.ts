/** The columns that a rollup keeps apart or not, in the order of the cells' key. */
const KEPT = [
  'symbol',
  'venue',
  'asset_class',
  'quote_currency',
  'cohort_key',
  'direction',
  'analysis_class',
  'horizon_kind',
  'horizon_value',
];
const TIMES = ['data_cutoff', 'evaluated_at'];
const KEY = ['rollup', 'market', ...KEPT, 'since', 'perspective_type', 'result_bucket', 'submission_origin'];

const timeOf = (record: string) =>
  `case r.clock when 'data_cutoff' then ${record}.data_cutoff else ${record}.evaluated_at end`;

/** The key of the cell of rollup `r` that a record falls into. */
const keyOf = (record: string) => [
  'r.rollup',
  `${record}.market`,
  ...KEPT.map((name) => `case when r.${name} then ${record}.${name} else ${nothing(name)} end`),
  `app.period_start(r.period, ${timeOf(record)})`,
  `coalesce(${record}.perspective_type, '')`,
  `${record}.result_bucket`,
  `${record}.submission_origin`,
];

const nothing = (name: string) => (name === 'horizon_value' ? '-1' : `''`);
const places = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i).join(', ');
const alike = KEY.map((name, i) => `c.${name} = ${keyOf('gone')[i]}`);
const kept = (name: string) =>
  KEPT.includes(name) ? `case when r.${name} then c.${name} else ${nothing(name)} end` : `c.${name}`;
const coarser = KEY.map((name) =>
  name === 'rollup' ? 'r.rollup' : name === 'since' ? 'app.period_start(r.period, c.since)' : kept(name),
);

const told = (cells: string) =>
  `${cells}.n || ' from ' || ${cells}.earliest || ' to ' || ${cells}.latest || ' of ' || cardinality(${cells}.owners) || ' owners'`;

/** How cohorts are kept: who enters, who leaves, and what moves from the tail into the cells. */
export const COHORT_FUNCTIONS = `
create function app.lock_cohort_cells() returns void language sql as 'select pg_advisory_xact_lock(7382614906)';
comment on function app.lock_cohort_cells() is 'Held to the end of the transaction by whoever changes cells. Who enters the tail does not wait for it.';

create function app.period_start(period text, at timestamptz) returns timestamptz stable language sql as $$
  select case period when 'all' then '-infinity'::timestamptz
    when 'six_hours' then date_bin('6 hours', at, timestamptz 'epoch') else date_trunc(period, at, 'UTC') end
$$;

create function app.period_end(period text, at timestamptz) returns timestamptz stable language sql as $$
  select case period when 'all' then 'infinity'::timestamptz
    when 'six_hours' then date_bin('6 hours', at, timestamptz 'epoch') + interval '6 hours'
    else (date_trunc(period, at at time zone 'UTC') + ('1 ' || period)::interval) at time zone 'UTC' end
$$;

create function app.join_owners(a uuid[], b uuid[]) returns uuid[] immutable language plpgsql as $$
declare
  joined uuid[] := a;
  owner_id uuid;
  place int;
begin
  foreach owner_id in array b loop
    place := width_bucket(owner_id, joined);
    continue when place = 32 or (place > 0 and joined[place] = owner_id);
    joined := (joined[1:place] || owner_id || joined[place + 1:])[1:32];
  end loop;
  return joined;
end $$;
comment on function app.join_owners is 'The first 32 of two sets in ascending order.';
create aggregate app.some_owners(uuid[]) (sfunc = app.join_owners, stype = uuid[], initcond = '{}');

create function app.counted_cells(r app.cohort_rollups, gone app.decisions) returns setof app.cohort_cells stable
language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  everyone boolean := gone.record_id is null;
  since timestamptz := app.period_start(r.period, ${timeOf('gone')});
  until timestamptz := app.period_end(r.period, ${timeOf('gone')});
begin
  return query
  select ${keyOf('d')}, count(*), min(d.data_cutoff), max(d.data_cutoff), app.some_owners(array[d.owner_id])
  from app.decisions d
  where d.lifecycle_state = 'evaluated' and (everyone or d.market = gone.market)
    ${KEPT.map((name) => `and (everyone or not r.${name} or d.${name} = gone.${name})`).join('\n    ')}
    ${TIMES.map((time) => `and (everyone or r.period = 'all' or r.clock <> '${time}' or (d.${time} >= since and d.${time} < until))`).join('\n    ')}
    and (everyone or coalesce(d.perspective_type, '') = coalesce(gone.perspective_type, ''))
    and (everyone or (d.result_bucket = gone.result_bucket and d.submission_origin = gone.submission_origin))
    and not exists (select from app.cohort_tail t where t.record_id = d.record_id)
  group by ${places(1, KEY.length)};
end $$;
comment on function app.counted_cells is 'The cells of a rollup, counted anew from the records; of one record alone where that is given.';

create function app.added_up_cells(r app.cohort_rollups, gone app.decisions) returns setof app.cohort_cells stable
language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  everyone boolean := gone.record_id is null;
  f app.cohort_rollups;
begin
  select * into strict f from app.cohort_rollups where rollup = r.finer;
  return query
  select ${coarser}, sum(n)::bigint, min(earliest), max(latest), app.some_owners(owners)
  from app.cohort_cells c
  where c.rollup = f.rollup and (everyone or c.market = gone.market)
    ${KEPT.map((name) => `and (c.${name} = ${nothing(name)} or f.${name}) and (everyone or not r.${name} or c.${name} = gone.${name})`).join('\n    ')}
    and (everyone or r.period = 'all' or (c.since >= app.period_start(r.period, ${timeOf('gone')})
      and c.since < app.period_end(r.period, ${timeOf('gone')})))
    and (everyone or (c.perspective_type = coalesce(gone.perspective_type, '')
      and c.result_bucket = gone.result_bucket and c.submission_origin = gone.submission_origin))
  group by ${places(1, KEY.length)};
end $$;
comment on function app.added_up_cells is 'The same from the cells of its finer rollup.';

create function app.recount_cells(gone app.decisions) returns void language plpgsql
set plan_cache_mode = force_custom_plan as $$
declare r app.cohort_rollups;
begin
  -- The finer ones first.
  for r in select * from app.cohort_rollups order by rollup desc loop
    delete from app.cohort_cells c where ${alike.join(' and ')};
    if r.finer is null then
      insert into app.cohort_cells select * from app.counted_cells(r, gone);
    else
      insert into app.cohort_cells select * from app.added_up_cells(r, gone);
    end if;
  end loop;
end $$;

create function app.count_in_cohorts() returns trigger language plpgsql as $$
declare counted boolean := false;
begin
  if tg_op <> 'INSERT' and old.lifecycle_state = 'evaluated' then
    perform app.lock_cohort_cells();
    delete from app.cohort_tail where record_id = old.record_id;
    counted := not found;
  end if;
  if tg_op <> 'DELETE' and new.lifecycle_state = 'evaluated' then
    insert into app.cohort_tail (record_id, owner_id, market, ${KEPT}, perspective_type, result_bucket,
      submission_origin, data_cutoff, evaluated_at)
    values (new.record_id, new.owner_id, new.market, ${KEPT.map((name) => `new.${name}`)},
      coalesce(new.perspective_type, ''), new.result_bucket, new.submission_origin, new.data_cutoff,
      new.evaluated_at);
  end if;
  if counted then perform app.recount_cells(old); end if;
  return null;
end $$;

create trigger count_new after insert on app.decisions for each row
  when (new.lifecycle_state = 'evaluated') execute function app.count_in_cohorts();
create trigger count_changed after update on app.decisions for each row
  when ('evaluated' in (old.lifecycle_state, new.lifecycle_state) and (old.lifecycle_state, old.owner_id, old.result_bucket, old.evaluated_at)
    is distinct from (new.lifecycle_state, new.owner_id, new.result_bucket, new.evaluated_at))
  execute function app.count_in_cohorts();
create trigger count_removed after delete on app.decisions for each row
  when (old.lifecycle_state = 'evaluated') execute function app.count_in_cohorts();

create function app.fold_cohorts(batch int) returns int language plpgsql as $$
declare folded int;
begin
  perform app.lock_cohort_cells();
  with taken as (
    delete from app.cohort_tail where record_id in (select record_id from app.cohort_tail limit batch) returning *
  ), merged as (
    insert into app.cohort_cells as c
    select ${keyOf('t')}, count(*), min(t.data_cutoff), max(t.data_cutoff), (array_agg(distinct t.owner_id))[1:32]
    from taken t cross join app.cohort_rollups r
    group by ${places(1, KEY.length)}
    on conflict (${KEY}) do update set n = c.n + excluded.n, earliest = least(c.earliest, excluded.earliest),
      latest = greatest(c.latest, excluded.latest), owners = app.join_owners(c.owners, excluded.owners)
  )
  select count(*) into folded from taken;
  return folded;
end $$;
comment on function app.fold_cohorts is 'Moves up to so many records from the tail into the cells; how many it were.';

create function app.rebuild_cohort_cells() returns void language plpgsql as $$
declare r app.cohort_rollups;
begin
  perform app.lock_cohort_cells();
  delete from app.cohort_cells;
  for r in select * from app.cohort_rollups order by rollup desc loop
    if r.finer is null then
      insert into app.cohort_cells select * from app.counted_cells(r, null);
    else
      insert into app.cohort_cells select * from app.added_up_cells(r, null);
    end if;
  end loop;
end $$;
comment on function app.rebuild_cohort_cells is 'Counts everything anew but the tail, which goes on to be folded.';

create function app.cohort_cell_faults(asked int) returns table (cell text, kept text, counted text) stable
language plpgsql as $$
declare r app.cohort_rollups;
begin
  select * into strict r from app.cohort_rollups where rollup = asked;
  return query
  select concat_ws(' ', r.grain, r.period, 'of', r.clock, ${KEY.slice(1).map((name) => `nullif(${name}::text, '')`)}),
    ${told('k')}, ${told('c')}
  from (select * from app.cohort_cells where rollup = asked) k
  full join app.counted_cells(r, null) c using (${KEY})
  where (k.n, k.earliest, k.latest, k.owners) is distinct from (c.n, c.earliest, c.latest, c.owners);
end $$;
comment on function app.cohort_cell_faults is 'The cells of a rollup that differ from the records.';
`;
