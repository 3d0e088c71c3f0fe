-- Drafts by their parts, snapshots with the columns of lists, and indexes by workflow.

-- json keeps what was written as it was written; jsonb would make 300 digits of 1e300.
alter table app.workflows
  drop column draft,
  drop column forked_from,
  add column name_folded text not null,
  add column nodes json not null check (json_typeof(nodes) = 'array'),
  add column edges json not null check (json_typeof(edges) = 'array'),
  add column forked_from uuid,
  add column listed_seq bigint,
  alter column description drop default,
  alter column tags drop default,
  alter column version drop default,
  add check (version > 0);
comment on column app.workflows.name_folded is 'The name as it is searched, folded by the service: collations differ between databases.';
comment on column app.workflows.listed_seq is 'Its newest publication for everybody, so that lists need not look for it.';
comment on column app.workflows.forked_from is 'The workflow that it was copied from, which may be gone.';

-- The columns of a snapshot are made from its content by the database.
alter table app.workflow_snapshots
  add column name_folded text not null,
  add column name text not null generated always as (content::jsonb ->> 'name') stored,
  add column description text not null generated always as (content::jsonb ->> 'description') stored,
  add column tags jsonb not null generated always as (content::jsonb -> 'tags') stored,
  add column node_count int not null generated always as (jsonb_array_length(content::jsonb -> 'nodes')) stored;

create index workflows_shown on app.workflows (listed_seq) where visibility = 'public';
create index workflow_forks on app.workflows (forked_from) where forked_from is not null;
create index publications_of_workflow on app.workflow_publications (workflow_id, seq desc);
create index decisions_of_workflow on app.decisions (workflow_hash, lifecycle_state, owner_id)
  include (result_bucket, submission_time) where workflow_hash is not null;
