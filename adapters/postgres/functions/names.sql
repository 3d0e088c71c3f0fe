-- Statements about names are added one import after another, and never contradict others of the same source.

create or replace function app.lock_names() returns void language sql
  as $$ select pg_advisory_xact_lock(7382614925) $$;
comment on function app.lock_names() is 'A transaction that adds statements about names holds it to its end.';

create or replace function app.try_lock_names() returns boolean language sql
  as $$ select pg_try_advisory_xact_lock(7382614925) $$;
comment on function app.try_lock_names() is 'The same where no other transaction holds it: whether this one does.';

create or replace view app.standing_names as
  select n.id, n.market, n.name, n.key, n.line::jsonb as said from app.names n
  where n.withdraws is null and not exists (select from app.names w where w.withdraws = n.id);
comment on view app.standing_names is 'Those that were not withdrawn.';

create or replace function app.check_new_names() returns trigger language plpgsql as $$
declare
  fault text;
  v_newest int;
  v_learned text collate "C";
begin
  perform app.lock_names();
  select coalesce(max(n.id), 0), max(n.learned_at) into v_newest, v_learned
    from app.names n where not exists (select from added a where a.id = n.id);
  select case
      when min(a.id) <> v_newest + 1 or max(a.id) <> v_newest + count(*) then format('its numbers do not follow %s', v_newest)
      when min(a.learned_at) <> max(a.learned_at) then 'the statements of one import are learned at one time'
      when min(a.learned_at) <= v_learned then format('statements were learned at %s', v_learned)
      when min(a.learned_at)::timestamptz not between app.now() - interval '1 minute' and app.now() + interval '1 minute'
        then format('it is not learned now, but at %s', min(a.learned_at))
      end into fault from added a;
  if fault is null then
    select format('%s withdraws a withdrawal', a.id) into fault
      from added a join app.names n on n.id = a.withdraws where n.withdraws is not null limit 1;
  end if;
  if fault is null then
    select format('%s and %s say of one source what one name is on one date', b.id, s.id) into fault
      from app.standing_names b join added a on a.id = b.id
      join app.standing_names s on s.market = b.market and s.name = b.name and s.id < b.id
      where (b.said -> 'source' ->> 'kind', b.said -> 'source' ->> 'name', b.said ->> 'venue', b.said ->> 'asset_class',
          b.said ->> 'quote')
        is not distinct from (s.said -> 'source' ->> 'kind', s.said -> 'source' ->> 'name', s.said ->> 'venue',
          s.said ->> 'asset_class', s.said ->> 'quote')
        and b.said ->> 'kind' not in ('merged', 'delisted') and s.said ->> 'kind' not in ('merged', 'delisted')
        and b.said ->> 'from' < coalesce(s.said ->> 'until', '9999-12-31')
        and s.said ->> 'from' < coalesce(b.said ->> 'until', '9999-12-31')
      limit 1;
  end if;
  if fault is not null then
    raise exception 'INSERT on names is refused: %', fault using errcode = '42501';
  end if;
  return null;
end $$;
create or replace trigger check_new_names after insert on app.names referencing new table as added
  for each statement execute function app.check_new_names();
alter table app.names enable always trigger check_new_names;

-- A submission or a grade is written by names of which no newer ones are learned until its end.

-- It waits as long as for a twin (settled.md section 4), since an import holds up all submissions alike.
create or replace function app.share_names() returns void language sql
  set lock_timeout = '5s'
  as $$ select pg_advisory_xact_lock_shared(7382614926) $$;
comment on function app.share_names() is 'A transaction that writes submissions holds it to its end.';

create or replace function app.hold_submissions() returns void language sql
  as $$ select pg_advisory_xact_lock(7382614926) $$;
comment on function app.hold_submissions() is
  'A transaction that learned names takes it last: submissions under way have ended then, and others wait for its end.';

create or replace function app.hold_grades() returns void language sql
  as $$ select pg_advisory_xact_lock(7382614927) $$;
comment on function app.hold_grades() is
  'A transaction that learned names takes it before it changes records. No grade waits for it: it would hold rows meanwhile.';

create or replace function app.may_end(names int) returns text language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock_shared(7382614927) then
    return 'wait';
  end if;
  -- A statement of its own: it sees what was learned before the lock was free.
  return case when exists (select from app.names n where n.id > names) then 'plan' else 'end' end;
end $$;
comment on function app.may_end is
  'Whether evaluations that were planned by the names up to this one end, are to be planned again, or wait for an import under way. But for the last, no names are learned until the end of the transaction.';

-- What records count under (docs/securities.md).

create or replace function app.cohort_key_with(cohort_key text, symbol text) returns text immutable language sql
  return split_part(cohort_key, ':', 1) || ':' || lower(symbol)
    || substr(cohort_key, length(split_part(cohort_key, ':', 1)) + length(split_part(cohort_key, ':', 2)) + 2);
comment on function app.cohort_key_with is 'The same cohort key of another symbol.';

create or replace function app.names_say(d app.decisions, received text) returns boolean stable language sql as $$
  with line as (
    select s.name, s.key, s.said from app.standing_names s
    where s.market = d.market and s.said ->> 'kind' not in ('merged', 'delisted')
      and coalesce(s.said ->> 'venue', d.venue) = d.venue
      and coalesce(s.said ->> 'asset_class', d.asset_class) = d.asset_class
      and coalesce(s.said ->> 'quote', d.quote_currency) = d.quote_currency
  ), sent as (
    select received as name
    union select d.name where d.name is not null
    union select n.name from app.names n where n.market = d.market and n.key = received
  ), dates as (
    select to_char(at - interval '1 day', 'YYYY-MM-DD') as before, to_char(at + interval '1 day', 'YYYY-MM-DD') as after
    from (select d.anchor_time at time zone 'UTC' as at) a
  )
  select exists (
    select from sent join line l using (name), dates
    where l.key = d.symbol and (
      l.said ->> 'from' <= dates.after and coalesce(l.said ->> 'until', '9999-12-31') > dates.before
      -- A security is listed by a date where any of its lines is; a stated end is of what was there before.
      or exists (select from app.standing_names o where o.market = d.market and o.key = d.symbol
        and (o.said ->> 'from' <= dates.after or o.said ->> 'kind' in ('merged', 'delisted'))))
  ) or exists (select from sent where sent.name = d.symbol)
$$;
comment on function app.names_say is
  'Whether a standing statement says on the line of a record that a name by which it can have been sent is its symbol, or that name is the symbol. The date of the venue is one of three; which statement weighs more, and which is believed, is known to the domain alone.';

create or replace function app.check_counted() returns trigger language plpgsql as $$
declare
  was constant text := coalesce(old.received_symbol, old.symbol);
  was_key constant text := coalesce(old.received_cohort_key, old.cohort_key);
  fault text;
begin
  fault := case
    when (coalesce(new.received_symbol, new.symbol), coalesce(new.received_cohort_key, new.cohort_key)) <> (was, was_key)
      then format('it was %s', was)
    when new.instrument <> concat_ws(':', new.market, new.symbol, new.venue, new.asset_class, new.quote_currency)
      or new.cohort_key <> case when new.symbol = was then was_key else app.cohort_key_with(was_key, new.symbol) end
      then format('its instrument and cohort key are not those of %s', new.symbol)
    when new.symbol <> was and not app.names_say(new, was) then format('no name says that it is %s', new.symbol)
    when new.counted_since is distinct from old.counted_since
      and not exists (select from app.names n where n.learned_at::timestamptz(3) = new.counted_since)
      and new.counted_since is not null then format('nothing was learned at %s', new.counted_since)
    end;
  if fault is not null then
    raise exception 'UPDATE on decisions is refused: what % was read as stays: %', new.record_id, fault using errcode = '42501';
  end if;
  return new;
end $$;
create or replace trigger check_counted before update of instrument, symbol, cohort_key, received_symbol, received_cohort_key,
    counted_since
  on app.decisions for each row
  when ((old.instrument, old.symbol, old.cohort_key, old.received_symbol, old.received_cohort_key, old.counted_since)
    is distinct from
    (new.instrument, new.symbol, new.cohort_key, new.received_symbol, new.received_cohort_key, new.counted_since))
  execute function app.check_counted();
create or replace trigger check_received after insert on app.decisions for each row
  when (num_nonnulls(new.received_symbol, new.received_cohort_key, new.counted_since) > 0)
  execute function app.refuse_change('what a record was read as is its symbol when it is received');
alter table app.decisions enable always trigger check_counted, enable always trigger check_received;

create or replace function app.is_tried(lifecycle_state text) returns boolean immutable language sql
  return not app.is_public(lifecycle_state) and lifecycle_state <> 'quarantined';
comment on function app.is_tried is 'Whether a record in this state has no outcome, and gets one, or was to get one.';

drop function if exists app.count_by_names(text[], text[], boolean[]);

-- Of records whose rows are locked. What is refused is found by halves, and keeps no other one from moving.
create or replace function app.move_some(ids text[], symbols text[], wrong boolean[])
returns table (record_id text, symbol text, cohort_key text, exception text, is_folded boolean, fault text)
language plpgsql volatile as $$
#variable_conflict use_column
declare
  since constant timestamptz := (select max(n.learned_at)::timestamptz from app.names n);
  before app.decisions[];
  moving text[];
  folded text[];
  half constant int := cardinality(ids) / 2;
begin
  before := array(select d from app.decisions d join unnest(ids, symbols, wrong) a(record_id, symbol, wrong) using (record_id)
    where d.symbol <> a.symbol
      or (d.evaluated_at is not null and a.wrong <> coalesce(d.cohort_exception = 'wrong_security', false)));
  if cardinality(before) = 0 then
    return;
  end if;
  if exists (select from unnest(before) d join unnest(ids, symbols, wrong) a(record_id, symbol, wrong) using (record_id)
      where a.wrong and not exists (select from app.names n where n.market = d.market
        and (n.key in (a.symbol, d.symbol, d.received_symbol) or n.name in (a.symbol, d.symbol, d.received_symbol, d.name)))) then
    raise exception 'UPDATE on decisions is refused: no name says that a grade is by the prices of another security'
      using errcode = '42501';
  end if;
  moving := array(select b.record_id from unnest(before) b);
  folded := array(select d.record_id from unnest(before) d
    where app.is_public(d.lifecycle_state) and app.counted_as(d.submission_origin, d.cohort_exception) is not null
      and not exists (select from app.cohort_tail t where t.record_id = d.record_id));
  update app.decisions d set symbol = a.symbol,
    instrument = concat_ws(':', d.market, a.symbol, d.venue, d.asset_class, d.quote_currency),
    cohort_key = case when a.symbol = coalesce(d.received_symbol, d.symbol) then coalesce(d.received_cohort_key, d.cohort_key)
      else app.cohort_key_with(coalesce(d.received_cohort_key, d.cohort_key), a.symbol) end,
    received_symbol = nullif(coalesce(d.received_symbol, d.symbol), a.symbol),
    received_cohort_key = case when a.symbol <> coalesce(d.received_symbol, d.symbol)
      then coalesce(d.received_cohort_key, d.cohort_key) end,
    counted_since = case when a.symbol = d.symbol then d.counted_since
      when a.symbol <> coalesce(d.received_symbol, d.symbol) then since end,
    cohort_exception = case when d.evaluated_at is null then d.cohort_exception when a.wrong then 'wrong_security'
      when d.cohort_exception = 'wrong_security'
        then (select app.exception_of(o.facts) from app.decision_outcomes o where o.record_id = d.record_id)
      else d.cohort_exception end,
    -- To the pages of its new cohorts it is new.
    listed_at = case when app.is_public(d.lifecycle_state) then app.now() end,
    listed_xid = case when app.is_public(d.lifecycle_state) then pg_current_xact_id() end,
    -- What is without an outcome, or waits for one, is tried again by its new security: triedAgain of
    -- domain/decisions/later-reading.ts. The lease of an evaluation by another one ends.
    lifecycle_state = case when a.symbol = d.symbol then d.lifecycle_state
      else case d.lifecycle_state when 'rejected' then 'pending_verify' when 'data_unavailable' then 'evaluating'
        else d.lifecycle_state end end,
    eval_token = case when a.symbol <> d.symbol and d.lifecycle_state in ('evaluating', 'data_unavailable')
      then gen_random_uuid() else d.eval_token end,
    due_at = case when a.symbol = d.symbol then d.due_at
      when d.lifecycle_state in ('evaluating', 'data_unavailable') then app.now()
      when d.due_at is not null then least(d.due_at, greatest(d.settles_at, app.now())) end,
    attempts = case when a.symbol <> d.symbol and app.is_tried(d.lifecycle_state) then 0 else d.attempts end,
    last_error = case when a.symbol = d.symbol or not app.is_tried(d.lifecycle_state) then d.last_error end
  from unnest(ids, symbols, wrong) a(record_id, symbol, wrong)
  where d.record_id = a.record_id and d.record_id = any(moving);
  delete from app.cohort_tail t where t.record_id = any(moving);
  insert into app.cohort_tail select p.* from app.public_records p where p.record_id = any(moving);
  return query select b.record_id, b.symbol, b.cohort_key, b.cohort_exception, b.record_id = any(folded), null::text
    from unnest(before) b;
exception when insufficient_privilege then
  if half = 0 then
    return query select ids[1], null::text, null::text, null::text, null::boolean, sqlerrm;
    return;
  end if;
  return query select * from app.move_some(ids[:half], symbols[:half], wrong[:half]);
  return query select * from app.move_some(ids[half + 1:], symbols[half + 1:], wrong[half + 1:]);
end $$;

-- With the rights of the owner of the schema: the service's role changes no symbol of a record, and no cell. It computes what
-- names mean; what no name says is refused. All rows come before the first cell, in the order of a quarantine, which takes its
-- row and then its cells: the two never wait for each other. No fold moves a record from the tail into cells meanwhile.
create or replace function app.move_by_names(ids text[], symbols text[], wrong boolean[], at_once int,
  out changed int, out refused text[], out faults text[])
language plpgsql volatile
security definer set search_path = pg_catalog, pg_temp as $$
declare
  moved text[] := '{}';
  was text[] := '{}';
  folded app.decisions[] := '{}';
  r app.cohort_rollups;
  gone app.decisions;
  part record;
begin
  changed := 0;
  refused := '{}';
  faults := '{}';
  perform app.lock_cohort_folds();
  perform from app.decisions d where d.record_id = any(ids) order by d.record_id for no key update;
  for place in 1 .. cardinality(ids) by at_once loop
    select array_agg(m.record_id) filter (where m.fault is null) as moved,
      array_agg(m.symbol) filter (where m.fault is null) as was,
      array_agg(m.cohort_key) filter (where m.fault is null) as keys,
      array_agg(m.exception) filter (where m.fault is null) as exceptions,
      array_agg(m.is_folded) filter (where m.fault is null) as are_folded,
      array_agg(m.record_id) filter (where m.fault is not null) as refused,
      array_agg(m.fault) filter (where m.fault is not null) as faults
      into part
      from app.move_some(ids[place:place + at_once - 1], symbols[place:place + at_once - 1],
        wrong[place:place + at_once - 1]) m;
    moved := moved || part.moved;
    was := was || part.was;
    refused := refused || part.refused;
    faults := faults || part.faults;
    -- As they were, one for each of the finest cells: coarser cells that count the others of it count that one.
    folded := folded || array(
      select distinct on (d.market, f.symbol, d.venue, d.asset_class, d.quote_currency, f.cohort_key, d.direction,
          d.analysis_class, d.horizon_kind, d.horizon_value, app.period_start('six_hours', d.data_cutoff),
          app.period_start('six_hours', d.evaluated_at), d.perspective_type, d.result_bucket,
          app.cell_origin(d.submission_origin, f.exception, d.group_place), d.method, d.grid)
        jsonb_populate_record(d, jsonb_build_object('symbol', f.symbol, 'cohort_key', f.cohort_key,
          'cohort_exception', f.exception))
      from unnest(part.moved, part.was, part.keys, part.exceptions, part.are_folded)
        f(record_id, symbol, cohort_key, exception, is_folded)
      join app.decisions d using (record_id) where f.is_folded);
  end loop;
  changed := cardinality(moved);
  if changed = 0 then
    return;
  end if;
  perform app.note_removals(array(select d.market from app.decisions d where d.record_id = any(moved)));
  -- The finer ones first, each cell once.
  for r in select * from app.cohort_rollups k order by k.rollup desc loop
    for gone in select distinct on (d.market,
        case when r.symbol then d.symbol end, case when r.venue then d.venue end,
        case when r.asset_class then d.asset_class end, case when r.quote_currency then d.quote_currency end,
        case when r.cohort_key then d.cohort_key end, case when r.direction then d.direction end,
        case when r.analysis_class then d.analysis_class end, case when r.horizon_kind then d.horizon_kind end,
        case when r.horizon_value then d.horizon_value end,
        app.period_start(r.period, case r.clock when 'data_cutoff' then d.data_cutoff else d.evaluated_at end),
        d.perspective_type, d.result_bucket, app.cell_origin(d.submission_origin, d.cohort_exception, d.group_place),
        d.method, d.grid) d.*
      from unnest(folded) d where app.counts_market(r, d.market)
    loop
      perform app.recount_cell(r, gone);
    end loop;
  end loop;
  perform app.recount_symbols(array(select distinct d.agent_id from app.decisions d where d.record_id = any(moved)),
    array(select distinct d.market || ':' || k.symbol from unnest(moved, was) b(record_id, symbol)
      join app.decisions d using (record_id), lateral (values (b.symbol), (d.symbol)) k(symbol)));
  delete from app.atlas_seeds s where s.record_id = any(moved) or s.instrument in (
    select concat_ws(':', d.market, k.symbol, d.venue, d.asset_class, d.quote_currency)
    from unnest(moved, was) b(record_id, symbol) join app.decisions d using (record_id),
      lateral (values (b.symbol), (d.symbol)) k(symbol));
  insert into app.atlas_requests default values;
end $$;
comment on function app.move_by_names is
  'Counts records under these symbols from now on, and those with wrong in no cohort; both keys are counted anew, each cell once, after all parts of so many records. How many changed, and what was refused.';
