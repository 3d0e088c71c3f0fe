import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { publishSomething } from '../../../builders/stored-workflows.ts';
import { type GradedDatabase, gradedDatabase } from './graded-database.ts';

const OWNER = '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3';

let database: GradedDatabase;

beforeAll(async () => {
  database = await gradedDatabase(HARM.map((_, n) => (n % 2 === 0 ? 'BTC' : 'ETH')));
  await publishSomething(database.opened.storage.workflowSnapshots, OWNER, 'private');
});
afterAll(() => database.close());

test('wrong arguments are exit code 2', async () => {
  expect((await database.admin('check-evidence', '--no-such')).code).toBe(2);
});

test('evidence that is intact is exit code 0, and is counted', async () => {
  const { code, output } = await database.admin('check-evidence');
  expect(output).toMatch(
    /^12 statements, 12 outcomes, \d+ stretches of bars, 1 workflow snapshots\nAll evidence matches its commitments and digests/,
  );
  expect(output).toContain('All counts match the decisions.');
  expect(code).toBe(0);
});

/** Damage that the owner of the schema can do to the records, and the report of it; the last entries damage what records share. */
const HARM: readonly (readonly [string, (record_id: string) => string, RegExp])[] = [
  [
    'a statement that was rewritten',
    (id) => `update app.decision_documents set statement = statement || ' ' where record_id = '${id}'`,
    /dec_\w+: the statement does not match its commitment/,
  ],
  [
    'a statement that was rewritten and sealed anew',
    (id) => `update app.decision_documents set (statement, commitment) = (select said,
      encode(sha256(salt || convert_to(said, 'UTF8')), 'hex') from replace(statement, '"bullish"', '"neutral"') said)
      where record_id = '${id}'`,
    /dec_\w+: direction is neutral in the statement and bullish in the record/,
  ],
  [
    'a record that was turned round',
    (id) => `update app.decisions set direction = 'bearish' where record_id = '${id}'`,
    /dec_\w+: direction is bullish in the statement and bearish in the record/,
  ],
  [
    'a record that was put back in time',
    (id) => `update app.decisions set submission_time = submission_time - interval '1 day' where record_id = '${id}'`,
    /dec_\w+: submission_time is [\d-]+T[\d:.]+Z in the statement and [\d-]+T[\d:.]+Z in the record/,
  ],
  [
    'a statement that was removed',
    (id) => `delete from app.decision_documents where record_id = '${id}'`,
    /dec_\w+: the statement is gone/,
  ],
  [
    'an outcome that was removed',
    (id) => `delete from app.decision_outcomes where record_id = '${id}'`,
    /dec_\w+: its outcome is gone/,
  ],
  [
    'evidence that was removed',
    (id) => `delete from app.outcome_evidence where record_id = '${id}'`,
    /dec_\w+: the evidence of its outcome is gone/,
  ],
  [
    'a document of evidence that was rewritten',
    (id) => `update app.outcome_evidence set document = document || ' ' where record_id = '${id}'`,
    /dec_\w+: the document of its evidence does not match its digest/,
  ],
  [
    'counts that were changed',
    () => 'update app.cohort_tail set market = upper(market)',
    /^tail dec_\w+: stored .*"CRYPTO"/m,
  ],
  [
    'a workflow that was rewritten',
    () => `update app.workflow_snapshots set content = content || ' '`,
    /workflow snapshot [0-9a-f]{64}: the content does not match its digest/,
  ],
  [
    'bars that were rewritten',
    () => `update app.evidence_bars set content = content || ' '`,
    /bars [0-9a-f]{64}: the content does not match its digest/,
  ],
  [
    'bars that were removed',
    () => 'delete from app.evidence_bars',
    /dec_\w+: bars of its evidence are gone: [0-9a-f]{64}/,
  ],
];

describe('by a user who can bypass triggers and constraints', () => {
  beforeAll(async () => {
    for (const table of TABLES) await database.opened.owner.query(`alter table app.${table} disable trigger user`);
    const { rows } = await database.opened.owner.query<{ of: string; name: string }>(CHECKS);
    for (const { of, name } of rows) await database.opened.owner.query(`alter table ${of} drop constraint ${name}`);
  });

  test.each(HARM.map(([name, sql, report], n) => ({ name, sql, report, n })))(
    '$name: found, and exit code 1',
    async ({ sql, report, n }) => {
      expect((await database.admin('check-evidence')).output).not.toMatch(report);
      const { rowCount } = await database.opened.owner.query(sql(database.ids[n] ?? ''));
      expect(rowCount).toBeGreaterThan(0);
      const found = await database.admin('check-evidence');
      expect(found.output).toMatch(report);
      expect(found.code).toBe(1);
    },
  );
});

const TABLES = [
  ...['decisions', 'decision_documents', 'decision_outcomes', 'outcome_evidence', 'evidence_bars'],
  ...['workflow_snapshots', 'cohort_tail'],
];

const CHECKS = `
  select conrelid::regclass::text as of, quote_ident(conname) as name from pg_constraint
  where contype = 'c' and coninhcount = 0 and pg_get_constraintdef(oid) like '%sha256%'`;
