-- Public records as cohorts: counted in advance, found in order, as of one moment.

alter table app.decisions add listed_at timestamptz(3), add listed_xid xid8;
comment on column app.decisions.listed_at is 'When the record was last made public; null while it is not.';
comment on column app.decisions.listed_xid is 'The transaction that made it public.';
update app.decisions set listed_at = evaluated_at, listed_xid = pg_current_xact_id()
where lifecycle_state = 'evaluated';

create function app.note_listing() returns trigger language plpgsql as $$
begin
  new.listed_at := case when new.lifecycle_state = 'evaluated' then app.now() end;
  new.listed_xid := case when new.lifecycle_state = 'evaluated' then pg_current_xact_id() end;
  return new;
end $$;
create trigger note_listing before update on app.decisions for each row
  when (old.lifecycle_state is distinct from new.lifecycle_state
    and 'evaluated' in (old.lifecycle_state, new.lifecycle_state))
  execute function app.note_listing();
create trigger note_first_listing before insert on app.decisions for each row
  when (new.lifecycle_state = 'evaluated') execute function app.note_listing();

-- What cohorts are counted from (docs/adr/0006-cohorts-are-cells-and-a-tail.md).
create table app.cohort_rollups (
  rollup smallint primary key,
  grain text not null,
  period text not null check (period in ('all', 'month', 'day', 'six_hours')),
  clock text not null check (clock in ('data_cutoff', 'evaluated_at')),
  finer smallint references app.cohort_rollups check (finer > rollup),
  symbol boolean not null,
  venue boolean not null,
  asset_class boolean not null,
  quote_currency boolean not null,
  cohort_key boolean not null,
  direction boolean not null,
  analysis_class boolean not null,
  horizon_kind boolean not null,
  horizon_value boolean not null,
  unique (grain, period, clock)
);
comment on table app.cohort_rollups is 'Which columns the cells of a rollup keep apart beside market, perspective, bucket and origin, and by which periods of which time.';
comment on column app.cohort_rollups.finer is 'The rollup that its cells add up from: by shorter periods, or of more columns. It has a higher number.';
insert into app.cohort_rollups
select rollup, grain, period, clock, finer, 'symbol' = any(c), 'venue' = any(c), 'asset_class' = any(c),
  'quote_currency' = any(c), 'cohort_key' = any(c), 'direction' = any(c), 'analysis_class' = any(c),
  'horizon_kind' = any(c), 'horizon_value' = any(c)
from (values
  (1, 'market', 'all', 'data_cutoff', 2, ''),
  (2, 'market', 'month', 'data_cutoff', 3, ''),
  (3, 'market', 'day', 'data_cutoff', 8, ''),
  (4, 'market', 'month', 'evaluated_at', 5, ''),
  (5, 'market', 'day', 'evaluated_at', 10, ''),
  (6, 'calls', 'all', 'data_cutoff', 7, 'direction analysis_class'),
  (7, 'calls', 'month', 'data_cutoff', 8, 'direction analysis_class'),
  (8, 'calls', 'day', 'data_cutoff', null, 'direction analysis_class'),
  (9, 'calls', 'month', 'evaluated_at', 10, 'direction analysis_class'),
  (10, 'calls', 'day', 'evaluated_at', null, 'direction analysis_class'),
  (11, 'horizons', 'all', 'data_cutoff', 12, 'direction analysis_class horizon_kind horizon_value'),
  (12, 'horizons', 'month', 'data_cutoff', null, 'direction analysis_class horizon_kind horizon_value'),
  (13, 'venues', 'all', 'data_cutoff', 14, 'venue asset_class quote_currency'),
  (14, 'venues', 'month', 'data_cutoff', null, 'venue asset_class quote_currency'),
  (15, 'venues', 'month', 'evaluated_at', 16, 'venue asset_class quote_currency'),
  (16, 'venues', 'day', 'evaluated_at', null, 'venue asset_class quote_currency'),
  (17, 'venue_calls', 'all', 'data_cutoff', 19, 'venue asset_class quote_currency direction analysis_class'),
  (18, 'venue_horizons', 'all', 'data_cutoff', 19, 'venue asset_class quote_currency horizon_kind horizon_value'),
  (19, 'venue_call_horizons', 'all', 'data_cutoff', 27,
    'venue asset_class quote_currency direction analysis_class horizon_kind horizon_value'),
  (20, 'symbols', 'all', 'data_cutoff', 21, 'symbol'),
  (21, 'symbols', 'month', 'data_cutoff', null, 'symbol'),
  (22, 'symbols', 'month', 'evaluated_at', null, 'symbol'),
  (23, 'symbol_horizons', 'all', 'data_cutoff', 27, 'symbol horizon_kind horizon_value'),
  (24, 'instruments', 'all', 'data_cutoff', 25, 'symbol venue asset_class quote_currency'),
  (25, 'instrument_calls', 'all', 'data_cutoff', 27,
    'symbol venue asset_class quote_currency direction analysis_class'),
  (26, 'cohort_keys', 'all', 'data_cutoff', null, 'cohort_key'),
  (27, 'everything', 'all', 'data_cutoff', null,
    'symbol venue asset_class quote_currency cohort_key direction analysis_class horizon_kind horizon_value'),
  (28, 'market', 'six_hours', 'data_cutoff', null, ''),
  (29, 'market', 'six_hours', 'evaluated_at', null, '')
) as listed(rollup, grain, period, clock, finer, columns), string_to_array(columns, ' ') as c;

create table app.cohort_cells (
  rollup smallint not null references app.cohort_rollups,
  market text collate "C" not null,
  symbol text collate "C" not null,
  venue text collate "C" not null,
  asset_class text collate "C" not null,
  quote_currency text collate "C" not null,
  cohort_key text collate "C" not null,
  direction text collate "C" not null,
  analysis_class text collate "C" not null,
  horizon_kind text collate "C" not null,
  horizon_value int not null,
  since timestamptz not null,
  perspective_type text collate "C" not null,
  result_bucket text collate "C" not null,
  submission_origin text collate "C" not null,
  n bigint not null check (n > 0),
  earliest timestamptz not null,
  latest timestamptz not null,
  owners uuid[] not null check (cardinality(owners) between 1 and 32),
  primary key (rollup, market, symbol, venue, asset_class, quote_currency, cohort_key, direction, analysis_class,
    horizon_kind, horizon_value, since, perspective_type, result_bucket, submission_origin)
) with (fillfactor = 85);
comment on table app.cohort_cells is 'Counts of public records that have left the tail. A column that the rollup does not keep is empty (-1, -infinity).';
comment on column app.cohort_cells.earliest is 'Of data_cutoff, as is latest.';
comment on column app.cohort_cells.owners is 'The first 32 of them, ascending. No more than whether there are enough is ever told.';

create table app.cohort_tail (
  record_id text primary key,
  owner_id uuid not null,
  market text not null,
  symbol text not null,
  venue text not null,
  asset_class text not null,
  quote_currency text not null,
  cohort_key text not null,
  direction text not null,
  analysis_class text not null,
  horizon_kind text not null,
  horizon_value int not null,
  perspective_type text not null,
  result_bucket text not null,
  submission_origin text not null,
  data_cutoff timestamptz(3) not null,
  evaluated_at timestamptz(3) not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
comment on table app.cohort_tail is 'Public records that the cells do not count yet.';

create view app.public_records as
select record_id, owner_id, market, symbol, venue, asset_class, quote_currency, cohort_key, direction, analysis_class,
  horizon_kind, horizon_value, coalesce(perspective_type, '') as perspective_type, result_bucket, submission_origin,
  data_cutoff, evaluated_at
from app.decisions where lifecycle_state = 'evaluated';
comment on view app.public_records is 'What of a record its cohorts know, as the tail holds it.';
insert into app.cohort_tail select * from app.public_records;

-- How records enter and leave cohorts, and how the tail moves into the cells.
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
  since timestamptz := app.period_start(r.period, case r.clock when 'data_cutoff' then gone.data_cutoff else gone.evaluated_at end);
  until timestamptz := app.period_end(r.period, case r.clock when 'data_cutoff' then gone.data_cutoff else gone.evaluated_at end);
begin
  return query
  select r.rollup,d.market,case when r.symbol then d.symbol else '' end,case when r.venue then d.venue else '' end,case when r.asset_class then d.asset_class else '' end,case when r.quote_currency then d.quote_currency else '' end,case when r.cohort_key then d.cohort_key else '' end,case when r.direction then d.direction else '' end,case when r.analysis_class then d.analysis_class else '' end,case when r.horizon_kind then d.horizon_kind else '' end,case when r.horizon_value then d.horizon_value else -1 end,app.period_start(r.period, case r.clock when 'data_cutoff' then d.data_cutoff else d.evaluated_at end),coalesce(d.perspective_type, ''),d.result_bucket,d.submission_origin, count(*), min(d.data_cutoff), max(d.data_cutoff), app.some_owners(array[d.owner_id])
  from app.decisions d
  where d.lifecycle_state = 'evaluated' and (everyone or d.market = gone.market)
    and (everyone or not r.symbol or d.symbol = gone.symbol)
    and (everyone or not r.venue or d.venue = gone.venue)
    and (everyone or not r.asset_class or d.asset_class = gone.asset_class)
    and (everyone or not r.quote_currency or d.quote_currency = gone.quote_currency)
    and (everyone or not r.cohort_key or d.cohort_key = gone.cohort_key)
    and (everyone or not r.direction or d.direction = gone.direction)
    and (everyone or not r.analysis_class or d.analysis_class = gone.analysis_class)
    and (everyone or not r.horizon_kind or d.horizon_kind = gone.horizon_kind)
    and (everyone or not r.horizon_value or d.horizon_value = gone.horizon_value)
    and (everyone or r.period = 'all' or r.clock <> 'data_cutoff' or (d.data_cutoff >= since and d.data_cutoff < until))
    and (everyone or r.period = 'all' or r.clock <> 'evaluated_at' or (d.evaluated_at >= since and d.evaluated_at < until))
    and (everyone or coalesce(d.perspective_type, '') = coalesce(gone.perspective_type, ''))
    and (everyone or (d.result_bucket = gone.result_bucket and d.submission_origin = gone.submission_origin))
    and not exists (select from app.cohort_tail t where t.record_id = d.record_id)
  group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15;
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
  select r.rollup,c.market,case when r.symbol then c.symbol else '' end,case when r.venue then c.venue else '' end,case when r.asset_class then c.asset_class else '' end,case when r.quote_currency then c.quote_currency else '' end,case when r.cohort_key then c.cohort_key else '' end,case when r.direction then c.direction else '' end,case when r.analysis_class then c.analysis_class else '' end,case when r.horizon_kind then c.horizon_kind else '' end,case when r.horizon_value then c.horizon_value else -1 end,app.period_start(r.period, c.since),c.perspective_type,c.result_bucket,c.submission_origin, sum(n)::bigint, min(earliest), max(latest), app.some_owners(owners)
  from app.cohort_cells c
  where c.rollup = f.rollup and (everyone or c.market = gone.market)
    and (c.symbol = '' or f.symbol) and (everyone or not r.symbol or c.symbol = gone.symbol)
    and (c.venue = '' or f.venue) and (everyone or not r.venue or c.venue = gone.venue)
    and (c.asset_class = '' or f.asset_class) and (everyone or not r.asset_class or c.asset_class = gone.asset_class)
    and (c.quote_currency = '' or f.quote_currency) and (everyone or not r.quote_currency or c.quote_currency = gone.quote_currency)
    and (c.cohort_key = '' or f.cohort_key) and (everyone or not r.cohort_key or c.cohort_key = gone.cohort_key)
    and (c.direction = '' or f.direction) and (everyone or not r.direction or c.direction = gone.direction)
    and (c.analysis_class = '' or f.analysis_class) and (everyone or not r.analysis_class or c.analysis_class = gone.analysis_class)
    and (c.horizon_kind = '' or f.horizon_kind) and (everyone or not r.horizon_kind or c.horizon_kind = gone.horizon_kind)
    and (c.horizon_value = -1 or f.horizon_value) and (everyone or not r.horizon_value or c.horizon_value = gone.horizon_value)
    and (everyone or r.period = 'all' or (c.since >= app.period_start(r.period, case r.clock when 'data_cutoff' then gone.data_cutoff else gone.evaluated_at end)
      and c.since < app.period_end(r.period, case r.clock when 'data_cutoff' then gone.data_cutoff else gone.evaluated_at end)))
    and (everyone or (c.perspective_type = coalesce(gone.perspective_type, '')
      and c.result_bucket = gone.result_bucket and c.submission_origin = gone.submission_origin))
  group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15;
end $$;
comment on function app.added_up_cells is 'The same from the cells of its finer rollup.';

create function app.recount_cells(gone app.decisions) returns void language plpgsql
set plan_cache_mode = force_custom_plan as $$
declare r app.cohort_rollups;
begin
  -- The finer ones first.
  for r in select * from app.cohort_rollups order by rollup desc loop
    delete from app.cohort_cells c where c.rollup = r.rollup and c.market = gone.market and c.symbol = case when r.symbol then gone.symbol else '' end and c.venue = case when r.venue then gone.venue else '' end and c.asset_class = case when r.asset_class then gone.asset_class else '' end and c.quote_currency = case when r.quote_currency then gone.quote_currency else '' end and c.cohort_key = case when r.cohort_key then gone.cohort_key else '' end and c.direction = case when r.direction then gone.direction else '' end and c.analysis_class = case when r.analysis_class then gone.analysis_class else '' end and c.horizon_kind = case when r.horizon_kind then gone.horizon_kind else '' end and c.horizon_value = case when r.horizon_value then gone.horizon_value else -1 end and c.since = app.period_start(r.period, case r.clock when 'data_cutoff' then gone.data_cutoff else gone.evaluated_at end) and c.perspective_type = coalesce(gone.perspective_type, '') and c.result_bucket = gone.result_bucket and c.submission_origin = gone.submission_origin;
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
    insert into app.cohort_tail (record_id, owner_id, market, symbol,venue,asset_class,quote_currency,cohort_key,direction,analysis_class,horizon_kind,horizon_value, perspective_type, result_bucket,
      submission_origin, data_cutoff, evaluated_at)
    values (new.record_id, new.owner_id, new.market, new.symbol,new.venue,new.asset_class,new.quote_currency,new.cohort_key,new.direction,new.analysis_class,new.horizon_kind,new.horizon_value,
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
    select r.rollup,t.market,case when r.symbol then t.symbol else '' end,case when r.venue then t.venue else '' end,case when r.asset_class then t.asset_class else '' end,case when r.quote_currency then t.quote_currency else '' end,case when r.cohort_key then t.cohort_key else '' end,case when r.direction then t.direction else '' end,case when r.analysis_class then t.analysis_class else '' end,case when r.horizon_kind then t.horizon_kind else '' end,case when r.horizon_value then t.horizon_value else -1 end,app.period_start(r.period, case r.clock when 'data_cutoff' then t.data_cutoff else t.evaluated_at end),coalesce(t.perspective_type, ''),t.result_bucket,t.submission_origin, count(*), min(t.data_cutoff), max(t.data_cutoff), (array_agg(distinct t.owner_id))[1:32]
    from taken t cross join app.cohort_rollups r
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    on conflict (rollup,market,symbol,venue,asset_class,quote_currency,cohort_key,direction,analysis_class,horizon_kind,horizon_value,since,perspective_type,result_bucket,submission_origin) do update set n = c.n + excluded.n, earliest = least(c.earliest, excluded.earliest),
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
  select concat_ws(' ', r.grain, r.period, 'of', r.clock, nullif(market::text, ''),nullif(symbol::text, ''),nullif(venue::text, ''),nullif(asset_class::text, ''),nullif(quote_currency::text, ''),nullif(cohort_key::text, ''),nullif(direction::text, ''),nullif(analysis_class::text, ''),nullif(horizon_kind::text, ''),nullif(horizon_value::text, ''),nullif(since::text, ''),nullif(perspective_type::text, ''),nullif(result_bucket::text, ''),nullif(submission_origin::text, '')),
    k.n || ' from ' || k.earliest || ' to ' || k.latest || ' of ' || cardinality(k.owners) || ' owners', c.n || ' from ' || c.earliest || ' to ' || c.latest || ' of ' || cardinality(c.owners) || ' owners'
  from (select * from app.cohort_cells where rollup = asked) k
  full join app.counted_cells(r, null) c using (rollup,market,symbol,venue,asset_class,quote_currency,cohort_key,direction,analysis_class,horizon_kind,horizon_value,since,perspective_type,result_bucket,submission_origin)
  where (k.n, k.earliest, k.latest, k.owners) is distinct from (c.n, c.earliest, c.latest, c.owners);
end $$;
comment on function app.cohort_cell_faults is 'The cells of a rollup that differ from the records.';

-- Public records in the order of their pages, after whatever narrows them most. The columns after record_id are no
-- part of the order: they let a scan skip records of other cohorts, and count the ends of a period, without reading
-- the table.
create index public_by_market on app.decisions (market, data_cutoff, record_id, analysis_class, direction, perspective_type, horizon_kind, horizon_value, venue, asset_class, quote_currency, symbol, result_bucket, submission_origin, evaluated_at, owner_id)
    where lifecycle_state = 'evaluated';
create index public_by_calls on app.decisions (market, analysis_class, direction, data_cutoff, record_id, perspective_type, horizon_kind, horizon_value, venue, asset_class, quote_currency, result_bucket, submission_origin, evaluated_at, owner_id)
    where lifecycle_state = 'evaluated';
create index public_by_horizon on app.decisions (market, horizon_value, data_cutoff, record_id, horizon_kind, analysis_class, direction, perspective_type, venue, asset_class, quote_currency, result_bucket, submission_origin, evaluated_at, owner_id)
    where lifecycle_state = 'evaluated';
create index public_by_venue on app.decisions (market, venue, data_cutoff, record_id, asset_class, quote_currency, analysis_class, direction, perspective_type, horizon_kind, horizon_value, result_bucket, submission_origin, evaluated_at, owner_id)
    where lifecycle_state = 'evaluated';
create index public_by_symbol on app.decisions (market, symbol, data_cutoff, record_id, venue, asset_class, quote_currency, analysis_class, direction, perspective_type, horizon_kind, horizon_value, result_bucket, submission_origin, evaluated_at, owner_id)
    where lifecycle_state = 'evaluated';
create index public_by_instrument on app.decisions (instrument, data_cutoff, record_id, analysis_class, direction, perspective_type, horizon_kind, horizon_value, result_bucket, submission_origin, evaluated_at, owner_id)
    where lifecycle_state = 'evaluated';
create index public_by_cohort_key on app.decisions (cohort_key, data_cutoff, record_id, market, venue, quote_currency, perspective_type, horizon_kind, horizon_value, result_bucket, submission_origin, evaluated_at, owner_id)
    where lifecycle_state = 'evaluated';
create index public_by_evaluation on app.decisions (market, evaluated_at) where lifecycle_state = 'evaluated';
create statistics app.symbols_of_markets (dependencies) on market, symbol from app.decisions;
create statistics app.venues_of_markets (dependencies) on market, venue, asset_class, quote_currency from app.decisions;
create statistics app.horizons_of_markets (dependencies) on market, horizon_kind, horizon_value from app.decisions;

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select on app.cohort_rollups, app.public_records to %I', service);
  execute format('grant select, insert, update, delete on app.cohort_cells, app.cohort_tail to %I', service);
end $$;
