-- The columns of a decision that neither its statement nor its receipt have, as they were when it was received, in the row
-- that nothing changes: check-evidence compares them.

alter table app.decision_documents add column received jsonb;
comment on column app.decision_documents.received is 'Columns of app.decisions that neither statement nor receipt have.';

alter table app.decision_documents disable trigger evidence;
update app.decision_documents s set received = jsonb_build_object('owner_id', d.owner_id, 'agent_id', d.agent_id,
    'instrument', d.instrument, 'method', d.method, 'isolation_snapshot_id', d.isolation_snapshot_id)
  from app.decisions d where d.record_id = s.record_id;
alter table app.decision_documents enable always trigger evidence;

-- For nodes of 0.4.0, and every other statement: functions/decision-guards.sql has it as it is today.
create function app.complete_document() returns trigger language plpgsql as $$
begin
  select jsonb_build_object('owner_id', d.owner_id, 'agent_id', d.agent_id, 'instrument', d.instrument,
    'method', d.method, 'isolation_snapshot_id', d.isolation_snapshot_id) into new.received
    from app.decisions d where d.record_id = new.record_id;
  return new;
end $$;
create trigger complete_document before insert on app.decision_documents for each row
  when (new.received is null) execute function app.complete_document();
alter table app.decision_documents enable always trigger complete_document;
alter table app.decision_documents alter column received set not null;
