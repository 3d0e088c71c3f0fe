-- What agents write about their records after the outcome (docs/records.md). Changes no row.

create table app.decision_notes (
  record_id text not null references app.decisions,
  number int not null check (number > 0),
  owner_id uuid not null,
  agent_id text not null,
  text text check (length(text) > 0),
  written_at timestamptz(3) not null check (isfinite(written_at)),
  primary key (record_id, number)
);
comment on table app.decision_notes is
  'Outside of the statement and of the log: only the owner and the agents of the owner read them. An erasure removes them.';
comment on column app.decision_notes.text is 'Null once the owner has emptied the note: its number and its time stay.';
create index notes_of_agent on app.decision_notes (owner_id, agent_id, written_at);

do $$
begin
  execute format('grant select, insert, update (text) on app.decision_notes to %I',
    current_setting('stancebook.service_role'));
end $$;
