import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { type OpenedDatabase, onPostgres } from '../../contracts/decisions/adapters.ts';
import type { Bench } from '../../contracts/decisions/bench.ts';
import { benchOn } from '../../contracts/decisions/bench.ts';
import { evaluateAll } from '../../contracts/decisions/evaluated.ts';

let opened: OpenedDatabase;
let service: pg.Client;
// Before the bench drops the database.
afterAll(() => service.end());
const bench: Bench = benchOn({
  name: 'postgres',
  async open() {
    opened = await onPostgres(2);
    return opened;
  },
});

beforeAll(async () => {
  const agent = await bench.agent();
  const { record_id } = await bench.accepted(agent);
  await evaluateAll(bench);
  await bench.accepted(agent, { related_records: [{ record_id, relation: 'extends' }] });
  await bench.arrange().publish(agent.owner_id, 'public');
  await bench.arrange().circuit('USDT', 'tripped');
  await opened.owner.query(`insert into app.audit_log (at, actor, action, subject) values (app.now(), 'a', 'b', 'c')`);
  service = new pg.Client({ connectionString: opened.serviceUrl });
  await service.connect();
});

/** Tables whose rows are never changed, and a column of each. */
const EVIDENCE = {
  decision_documents: 'statement',
  decision_outcomes: 'facts',
  evidence_bars: 'content',
  outcome_evidence: 'document',
  decision_relations: 'relation',
  circuit_snapshots: 'state',
  workflow_snapshots: 'content',
  workflow_publications: 'visibility',
  audit_log: 'action',
};

/** What a record may go through; every other column is as it was submitted. */
const PROGRESS = [
  'lifecycle_state',
  'due_at',
  'settles_at',
  'end_time',
  'attempts',
  'last_error',
  'eval_token',
  'evaluated_at',
  'result_bucket',
  'created_regime',
  'raw_return',
  'directional_return',
  'mfe',
  'mae',
  'move',
  'grid',
  'cohort_exception',
  'archived_at',
  'archive_reason',
  'quarantined_at',
  'quarantine_reason',
];

const statements = Object.entries(EVIDENCE).flatMap(([table, column]) => [
  `update app.${table} set ${column} = ${column}`,
  `delete from app.${table}`,
  `truncate app.${table} cascade`,
]);

describe.each(['the service', 'the owner of the schema'])('%s cannot', (role) => {
  test.each(statements)('%s', async (statement) => {
    const client = role === 'the service' ? service : opened.owner;
    const [, table = ''] = /app\.(\w+)/.exec(statement) ?? [];
    const before = await rowsOf(table);
    expect(before.length).toBeGreaterThan(0);
    await expect(client.query(statement)).rejects.toMatchObject({ code: '42501' });
    expect(await rowsOf(table)).toEqual(before);
  });
});

test('the service cannot switch the guards off', async () => {
  const attempts = [
    'alter table app.decision_documents disable trigger all',
    'drop trigger evidence on app.decision_documents',
    'drop table app.decision_outcomes',
    'set session_replication_role = replica',
    `create or replace function app.refuse_change() returns trigger language plpgsql as 'begin return new; end'`,
    `create or replace function app.now() returns timestamptz language sql as $$ select '2000-01-01'::timestamptz $$`,
  ];
  for (const attempt of attempts) await expect(service.query(attempt)).rejects.toMatchObject({ code: '42501' });
});

test('the service changes nothing of a decision but its progress, and removes none', async () => {
  const columns = await opened.owner.query<{ name: string }>(
    `select column_name as name from information_schema.columns where table_schema = 'app' and table_name = 'decisions'`,
  );
  const before = await rowsOf('decisions');
  const names = columns.rows.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(PROGRESS));
  for (const name of names) {
    const update = service.query(`update app.decisions set ${name} = ${name}`);
    if (PROGRESS.includes(name)) await update;
    else await expect(update).rejects.toMatchObject({ code: '42501' });
  }
  await expect(service.query('delete from app.decisions')).rejects.toMatchObject({ code: '42501' });
  await expect(service.query('truncate app.decisions cascade')).rejects.toMatchObject({ code: '42501' });
  expect(await rowsOf('decisions')).toEqual(before);
});

test('a second outcome, a document whose commitment does not seal its statement, and bars of another digest are refused', async () => {
  const outcome = `insert into app.decision_outcomes (record_id, facts, owner_facts, bars)
    select record_id, '{}', '{}', '[]' from app.decision_outcomes`;
  await expect(service.query(outcome)).rejects.toMatchObject({ code: '23505' });
  const document = `insert into app.decision_documents (record_id, statement, salt, commitment, receipt, received)
    select record_id, statement || ' ', salt, commitment, receipt, received from app.decision_documents`;
  await expect(service.query(document)).rejects.toMatchObject({ code: '23514' });
  const bars = `insert into app.evidence_bars (digest, content) select md5(digest), content from app.evidence_bars`;
  await expect(service.query(bars)).rejects.toMatchObject({ code: '23514' });
});

async function rowsOf(table: string): Promise<readonly object[]> {
  const { rows } = await opened.owner.query<{ row: object }>(
    `select to_jsonb(t) as row from app.${table} t order by 1`,
  );
  return rows;
}
