-- The outcome row, which nothing changes, has all that a grade says; app.decisions has a copy.

alter table app.decision_outcomes add column evaluated_at timestamptz(3), add column result_bucket text,
  add column created_regime jsonb;

alter table app.decision_outcomes disable trigger evidence;
update app.decision_outcomes o
  set evaluated_at = d.evaluated_at, result_bucket = d.result_bucket, created_regime = d.created_regime
  from app.decisions d where d.record_id = o.record_id;
alter table app.decision_outcomes enable always trigger evidence;

-- From now on for the nodes of every release; functions/decision-guards.sql has it as it is today.
create function app.complete_outcome() returns trigger language plpgsql as $$
begin
  select d.evaluated_at, d.result_bucket, d.created_regime into new.evaluated_at, new.result_bucket, new.created_regime
    from app.decisions d where d.record_id = new.record_id;
  return new;
end $$;
create trigger complete_outcome before insert on app.decision_outcomes for each row
  execute function app.complete_outcome();
alter table app.decision_outcomes enable always trigger complete_outcome;
alter table app.decision_outcomes alter column evaluated_at set not null, alter column result_bucket set not null;
