import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What owners' lists and track records are read by. */
export class OwnerLists1763700000004 implements MigrationInterface {
  readonly name = 'OwnerLists1763700000004';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [INDEXES, CONFIDENCE, COUNTS, GRANTS]) await runner.query(sql);
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not taken back: restore a backup instead.');
  }
}

const INDEXES = `
create index decisions_of_agent on app.decisions (agent_id, submission_time desc, record_id desc);
`;

/** Beside the document and made from it, so that a track record need not open each document. */
const CONFIDENCE = `
alter table app.decision_documents
  add column confidence double precision generated always as ((submission ->> 'confidence')::double precision) stored;
create index documents_with_confidence on app.decision_documents (record_id) include (confidence)
  where confidence is not null;
`;

const COUNTS = `
create table app.agent_counts (
  agent_id text primary key references app.agents on delete cascade,
  tallies jsonb not null,
  cached_at timestamptz(3) not null
);
comment on table app.agent_counts is 'A cache: whatever is removed is counted again.';
`;

const GRANTS = `
do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert, update, delete on app.agent_counts to %I', service);
end $$;
`;
