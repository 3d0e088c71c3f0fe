-- Stored counts of the records of agents and workflows (docs/adr/0016-changes-of-records-are-counted.md).
-- `migrate` fills them from the records once the triggers are there.

create table app.track_tail (
  record_id text not null,
  agent_id text not null,
  workflow_hash text,
  kind text not null,
  result_bucket text not null,
  ungraded text not null,
  move smallint not null,
  n int not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
comment on table app.track_tail is 'Changes of records that the cells of agents and workflows do not count yet; triggers write it.';
create index track_tail_of_agent on app.track_tail (agent_id);
create index track_tail_of_workflow on app.track_tail (workflow_hash) where workflow_hash is not null;

create table app.track_cells (
  agent_id text not null references app.agents on delete cascade,
  facet text collate "C" not null,
  submission_origin text collate "C" not null,
  kind text collate "C" not null,
  key text collate "C" not null,
  result_bucket text collate "C" not null,
  ungraded text collate "C" not null,
  move smallint not null,
  n bigint not null,
  first timestamptz(3),
  last timestamptz(3),
  primary key (agent_id, facet, submission_origin, kind, key, result_bucket, ungraded, move)
) with (fillfactor = 85);
comment on table app.track_cells is 'Counts of the records of an agent without the changes in track_tail.';
comment on column app.track_cells.kind is 'See app.counted_kinds.';
comment on column app.track_cells.first is 'Of submission_time, as is last; only of the kind received.';

create table app.workflow_cells (
  workflow_hash text collate "C" not null,
  owner_id uuid not null,
  kind text collate "C" not null,
  result_bucket text collate "C" not null,
  n bigint not null,
  last timestamptz(3),
  primary key (workflow_hash, owner_id, kind, result_bucket)
) with (fillfactor = 85);
comment on table app.workflow_cells is 'Counts of the records of an owner that name a workflow snapshot, without the changes in track_tail.';
comment on column app.workflow_cells.last is 'Of submission_time; only of the kind received.';

alter table app.applied_functions add column cells_filled_at timestamptz(3);
comment on column app.applied_functions.cells_filled_at is 'When track_cells and workflow_cells were filled from records that are older than their triggers.';

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert, delete on app.track_tail to %I', service);
  execute format('grant select, insert, delete on app.track_cells, app.workflow_cells to %I', service);
  execute format('grant update (n, first, last) on app.track_cells to %I', service);
  execute format('grant update (n, last) on app.workflow_cells to %I', service);
end $$;
