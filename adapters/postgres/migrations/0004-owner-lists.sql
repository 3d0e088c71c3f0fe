-- Indexes and columns for owners' lists and track records.

create index decisions_of_agent on app.decisions (agent_id, submission_time desc, record_id desc);

-- Made from the document, so that a track record need not open each document.
alter table app.decision_documents
  add column confidence double precision generated always as ((submission ->> 'confidence')::double precision) stored;
create index documents_with_confidence on app.decision_documents (record_id) include (confidence)
  where confidence is not null;

create table app.agent_counts (
  agent_id text primary key references app.agents on delete cascade,
  tallies jsonb not null,
  cached_at timestamptz(3) not null
);
comment on table app.agent_counts is 'A cache: whatever is removed is counted again.';

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert, update, delete on app.agent_counts to %I', service);
end $$;
