-- What no role can do to a decision (docs/adr/0004-evidence-is-out-of-reach.md): backdate it, change what was submitted or
-- its grade, take back a state that others saw, or remove it. The triggers fire for nodes of every release.

-- Once for each statement: submissions of a batch are written together. A minute covers the time that a statement may
-- take, and by which a time server may set the clock.
create or replace function app.check_new_decision() returns trigger language plpgsql as $$
declare
  fault text;
  clock_is_behind boolean;
begin
  select found.fault, found.fault like '%younger%' into fault, clock_is_behind from added d
    left join lateral (select g.created_at from app.agents g
      where g.agent_id = d.agent_id and g.owner_id = d.owner_id offset 0) a on true
    cross join lateral (select case
      when d.lifecycle_state not in ('pending_verify', 'verified') or d.evaluated_at is not null
        then format('%s is not graded when it is received', d.record_id)
      when d.submission_time not between app.now() - interval '1 minute' and app.now() + interval '1 minute'
        then format('%s is not received now, but at %s', d.record_id, d.submission_time)
      when d.record_id <> app.record_id(d.submission_time, right(d.record_id, 8))
        then format('%s does not have the day of %s', d.record_id, d.submission_time)
      when a.created_at is null then format('the agent of %s is not there', d.record_id)
      when a.created_at > d.submission_time + interval '1 minute'
        then format('the agent of %s is younger, or the clock was set back', d.record_id)
      end as fault offset 0) found
    where found.fault is not null limit 1;
  if fault is not null then
    -- 55000 passes by itself: the caller is asked to come back.
    raise exception 'INSERT on decisions is refused: %', fault
      using errcode = case when clock_is_behind then '55000' else '42501' end;
  end if;
  return null;
end $$;
create or replace trigger check_new_decision after insert on app.decisions referencing new table as added
  for each statement execute function app.check_new_decision();

-- submitted_symbol: see erasure.sql.
-- instrument, symbol and cohort_key: see names.sql.
create or replace trigger keep_submission before update of record_id, owner_id, agent_id, market, venue,
    asset_class, quote_currency, direction, horizon_kind, horizon_value, analysis_class, perspective_type,
    data_cutoff, submission_time, submission_origin, method, anchor_time, isolation_snapshot_id, workflow_hash,
    number, name, group_id, group_place, group_of
  on app.decisions for each row
  when ((old.record_id, old.owner_id, old.agent_id, old.market, old.venue, old.asset_class,
      old.quote_currency, old.direction, old.horizon_kind, old.horizon_value, old.analysis_class,
      old.perspective_type, old.data_cutoff, old.submission_time, old.submission_origin, old.method, old.anchor_time,
      old.isolation_snapshot_id, old.workflow_hash, old.number, old.name, old.group_id, old.group_place, old.group_of)
    is distinct from (new.record_id, new.owner_id, new.agent_id, new.market, new.venue,
      new.asset_class, new.quote_currency, new.direction, new.horizon_kind, new.horizon_value,
      new.analysis_class, new.perspective_type, new.data_cutoff, new.submission_time, new.submission_origin,
      new.method, new.anchor_time, new.isolation_snapshot_id, new.workflow_hash,
      new.number, new.name, new.group_id, new.group_place, new.group_of))
  execute function app.refuse_change('what was submitted stays');

-- The window is a part of the grade: the calendar may move it until then.
create or replace trigger keep_grade before update of evaluated_at, result_bucket, created_regime, raw_return,
    directional_return, mfe, mae, end_time, settles_at
  on app.decisions for each row
  when (old.evaluated_at is not null
    and (old.evaluated_at, old.result_bucket, old.created_regime, old.raw_return, old.directional_return, old.mfe, old.mae,
      old.end_time, old.settles_at)
    is distinct from (new.evaluated_at, new.result_bucket, new.created_regime, new.raw_return, new.directional_return,
      new.mfe, new.mae, new.end_time, new.settles_at))
  execute function app.refuse_change('a grade stays');

-- The service's role changes the row of a graded decision in three ways: it marks the row as archived, once and now; it puts
-- it under quarantine, and releases it, each with an entry of the audit log (`require_audit_entry`). Its right to update these columns is for rows without a grade: a right has no
-- condition, so this trigger has it. What cohorts count by is changed by app.count_moves and by commands of operators, both
-- with the rights of the owner of the schema.
create or replace function app.guard_graded() returns trigger language plpgsql as $$
declare
  is_now constant tstzrange := tstzrange(app.now() - interval '1 minute', app.now() + interval '1 minute');
begin
  if pg_has_role((select relowner from pg_class where oid = tg_relid), 'usage') then
    return new;
  end if;
  if (old.due_at, old.attempts, old.last_error, old.eval_token, old.move, old.grid, old.cohort_exception)
    is distinct from (new.due_at, new.attempts, new.last_error, new.eval_token, new.move, new.grid, new.cohort_exception)
  then
    raise exception 'UPDATE on decisions is refused: what follows from the grade of % stays', old.record_id
      using errcode = '42501';
  end if;
  if (old.archived_at, old.archive_reason) is distinct from (new.archived_at, new.archive_reason)
    and not (old.archived_at is null and new.archived_at is not null and is_now @> new.archived_at)
  then
    raise exception 'UPDATE on decisions is refused: % is archived once, and now', old.record_id using errcode = '42501';
  end if;
  if (old.quarantined_at, old.quarantine_reason) is distinct from (new.quarantined_at, new.quarantine_reason)
    and not (case new.lifecycle_state
      when old.lifecycle_state then false
      when 'quarantined' then new.quarantined_at is not null
      else new.quarantined_at is null and new.quarantine_reason is null end)
  then
    raise exception 'UPDATE on decisions is refused: the quarantine of % begins with its state, and ends with it', old.record_id
      using errcode = '42501';
  end if;
  return new;
end $$;
create or replace trigger keep_graded before update of due_at, attempts, last_error, eval_token, move, grid,
    cohort_exception, archived_at, archive_reason, quarantined_at, quarantine_reason
  on app.decisions for each row
  when (old.evaluated_at is not null
    and (old.due_at, old.attempts, old.last_error, old.eval_token, old.move, old.grid, old.cohort_exception,
      old.archived_at, old.archive_reason, old.quarantined_at, old.quarantine_reason)
    is distinct from (new.due_at, new.attempts, new.last_error, new.eval_token, new.move, new.grid,
      new.cohort_exception, new.archived_at, new.archive_reason, new.quarantined_at, new.quarantine_reason))
  execute function app.guard_graded();

-- What is stored with a submission or with a grade is not added later.
create or replace function app.check_new_evidence() returns trigger language plpgsql as $$
declare late text;
begin
  if pg_has_role((select relowner from pg_class where oid = tg_relid), 'usage') then
    return null;
  end if;
  if tg_table_name = 'decision_relations' then
    select a.record_id into late from added a join app.decisions d on d.record_id = a.record_id
      where d.submission_time < app.now() - interval '1 minute' or d.evaluated_at is not null limit 1;
  else
    select a.record_id into late from added a
      where not exists (select from app.decision_outcomes o
        where o.record_id = a.record_id and o.xmin = pg_current_xact_id()::xid) limit 1;
  end if;
  if late is not null then
    raise exception 'INSERT on % is refused: % has been stored before', tg_table_name, late using errcode = '42501';
  end if;
  return null;
end $$;
create or replace trigger check_new_relation after insert on app.decision_relations referencing new table as added
  for each statement execute function app.check_new_evidence();
create or replace trigger check_new_evidence after insert on app.outcome_evidence referencing new table as added
  for each statement execute function app.check_new_evidence();
alter table app.decision_relations enable always trigger check_new_relation;
alter table app.outcome_evidence enable always trigger check_new_evidence;

create or replace trigger keep_state before update of lifecycle_state, evaluated_at on app.decisions for each row
  when ((old.evaluated_at is not null and new.lifecycle_state <> 'quarantined' and not app.is_public(new.lifecycle_state))
    or (old.evaluated_at is null and old.lifecycle_state = 'quarantined'
      and new.lifecycle_state not in ('quarantined', 'pending_verify'))
    or (old.evaluated_at is null and app.is_public(new.lifecycle_state) and old.lifecycle_state <> 'evaluating')
    or (old.evaluated_at is distinct from new.evaluated_at
      and (old.lifecycle_state <> 'evaluating' or not app.is_public(new.lifecycle_state))))
  execute function app.refuse_change('no move of a record leads there');

-- Runs at the end of the statement, which has inserted the outcome.
create or replace function app.require_outcome() returns trigger language plpgsql as $$
begin
  if exists (select from app.decision_outcomes o where o.record_id = new.record_id
      and (o.evaluated_at, o.result_bucket, o.created_regime, (o.facts ->> 'raw_return')::float8,
        (o.facts ->> 'directional_return')::float8, (o.facts -> 'mfe' ->> 'value')::float8,
        (o.facts -> 'mae' ->> 'value')::float8)
      is not distinct from (new.evaluated_at, new.result_bucket, new.created_regime, new.raw_return,
        new.directional_return, new.mfe, new.mae)
      and new.cohort_exception is not distinct from app.exception_of(o.facts)
      and app.grid_fits(new.grid, o.facts, new.market, new.submission_origin, new.anchor_time, new.end_time)
      and (new.move is null or new.move = app.range_of_move(new.direction, o.facts))) then
    return null;
  end if;
  raise exception 'UPDATE on decisions is refused: the grade of % is not that of its outcome', new.record_id
    using errcode = '42501';
end $$;
create or replace trigger require_outcome after update of evaluated_at on app.decisions for each row
  when (old.evaluated_at is null and new.evaluated_at is not null)
  execute function app.require_outcome();

-- Runs at the commit: the entry is the last statement of its transaction. A subtransaction has another xmin.
create or replace function app.require_audit_entry() returns trigger language plpgsql as $$
begin
  if exists (select from app.audit_log l where l.subject = new.record_id
      and l.action = case when new.lifecycle_state = 'quarantined' then 'quarantine' else 'release' end
      and l.xmin = pg_current_xact_id()::xid) then
    return null;
  end if;
  raise exception 'UPDATE on decisions is refused: no entry of the audit log says why % becomes %', new.record_id,
    new.lifecycle_state using errcode = '42501';
end $$;
drop trigger if exists require_audit_entry on app.decisions;
create constraint trigger require_audit_entry after update on app.decisions deferrable initially deferred for each row
  when ((old.lifecycle_state = 'quarantined') <> (new.lifecycle_state = 'quarantined'))
  execute function app.require_audit_entry();

create or replace trigger keep_decision before delete on app.decisions for each row
  execute function app.refuse_change('a decision stays');
create or replace trigger keep_decisions before truncate on app.decisions
  execute function app.refuse_change('a decision stays');

alter table app.decisions enable always trigger check_new_decision, enable always trigger keep_submission,
  enable always trigger keep_grade, enable always trigger keep_graded, enable always trigger keep_state, enable always trigger require_outcome,
  enable always trigger require_audit_entry, enable always trigger keep_decision, enable always trigger keep_decisions;

-- The outcome row has all that a grade says. It is read from the record, whose grade is the same for ever.
create or replace function app.complete_outcome() returns trigger language plpgsql as $$
begin
  select d.evaluated_at, d.result_bucket, d.created_regime into new.evaluated_at, new.result_bucket, new.created_regime
    from app.decisions d where d.record_id = new.record_id;
  return new;
end $$;
create or replace trigger complete_outcome before insert on app.decision_outcomes for each row
  execute function app.complete_outcome();
alter table app.decision_outcomes enable always trigger complete_outcome;
