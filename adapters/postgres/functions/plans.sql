-- Questions that were stated before their answers: evidence, of which an erasure leaves the digests.

create or replace function app.guard_plan() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.salt is not null and num_nulls(new.salt, new.statement, new.question, new.content) = 4
    and (new.plan_id, new.owner_id, new.agent_id, new.stated_at, new.commitment, new.producer)
      = (old.plan_id, old.owner_id, old.agent_id, old.stated_at, old.commitment, old.producer)
    and app.is_erased(old.owner_id) then
    return new;
  end if;
  raise exception '% on % is refused: its rows are evidence', tg_op, tg_table_name using errcode = '42501';
end $$;
create or replace trigger evidence before update or delete on app.plans for each row execute function app.guard_plan();
create or replace trigger evidence_whole before truncate on app.plans execute function app.refuse_change();
create or replace trigger keep_salt before insert on app.plans for each row when (new.salt is null)
  execute function app.refuse_change('a plan is received with its salt');

-- Also for statements by hand, so that no plan is left out of the log.
create or replace function app.log_plan() returns trigger language plpgsql as $$
begin
  insert into app.log_pending_plans (plan_id, ready_at) select a.plan_id, app.now() from added a;
  return null;
end $$;
create or replace trigger log_plan after insert on app.plans referencing new table as added
  for each statement execute function app.log_plan();
alter table app.plans enable always trigger evidence, enable always trigger evidence_whole,
  enable always trigger keep_salt, enable always trigger log_plan;
