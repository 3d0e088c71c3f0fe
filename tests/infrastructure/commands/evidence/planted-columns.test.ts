import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type GradedDatabase, gradedDatabase } from './graded-database.ts';

/**
 * What `check-evidence` does not compare, because nothing seals it: how far a record has come, and marks of owners and
 * operators. A change of the state itself is found.
 */
const PROGRESS: Readonly<Record<string, readonly string[]>> = {
  decisions: [
    ...['due_at', 'attempts', 'last_error', 'eval_token', 'settles_at', 'archived_at', 'archive_reason'],
    ...['quarantined_at', 'quarantine_reason', 'listed_at', 'listed_xid'],
  ],
  // The path of outcomes from before their evidence was kept.
  decision_outcomes: ['bars'],
};

/** Keys that other rows refer to, or that are generated. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  decisions: ['record_id'],
  decision_documents: ['record_id'],
  decision_outcomes: ['record_id'],
  outcome_evidence: ['record_id'],
};

/** Another value of each type. */
const OTHERS: Readonly<Record<string, (column: string) => string>> = {
  text: (column) => `'planted in ${column}'`,
  'text[]': () => `'{planted}'`,
  uuid: () => 'gen_random_uuid()',
  integer: (column) => `${column} + 1`,
  smallint: (column) => `(coalesce(${column}, 0) + 1) % 11`,
  bytea: () => `sha256('planted')`,
  jsonb: () => `'{"planted": true}'`,
  'double precision': () => '0.12345',
  'timestamp(3) with time zone': (column) => `${column} + interval '1 hour'`,
};

/** Values that the checks of the table allow. */
const ALLOWED: Readonly<Record<string, string>> = {
  lifecycle_state: `'data_unavailable'`,
  submission_origin: `'retroactive'`,
  // Null before.
  counted_since: `timestamptz '2026-03-01T00:00:00Z'`,
};

/** What the report says of a column whose change shows elsewhere, or by more than its own name. */
const NAMED: Readonly<Record<string, RegExp>> = {
  'decision_documents.statement': /the statement does not match its commitment/,
  'decision_documents.salt': /the statement does not match its commitment/,
  'decision_documents.commitment': /the statement does not match its commitment/,
  'decision_documents.receipt': /record_id is \S+ in the statement and nothing in the receipt/,
  'decision_documents.received': /planted is true when it was received/,
  'decision_outcomes.facts': /facts\.planted is true/,
  'decision_outcomes.owner_facts': /owner_facts\.planted is true/,
  'outcome_evidence.digest': /the document of its evidence does not match its digest/,
  'outcome_evidence.document': /the document of its evidence does not match its digest/,
};

let database: GradedDatabase;
let columns: readonly { readonly name: string; readonly from: string; readonly type: string }[];
const query = (text: string, values?: unknown[]) => database.opened.owner.query(text, values);

beforeAll(async () => {
  database = await gradedDatabase(['BTC']);
  ({ rows: columns } = await query(COLUMNS, [Object.keys(KEYS)]));
  for (const table of Object.keys(KEYS)) {
    await query(`alter table app.${table} disable trigger user`);
    const { rows } = await query(CHECKS, [`app.${table}`]);
    for (const { name } of rows) await query(`alter table app.${table} drop constraint ${name}`);
  }
});
afterAll(() => database.close());

test('a change of every column of a graded record is found, and named; a new column needs a check', async () => {
  const [record_id = ''] = database.ids;
  const planted = columns.filter(
    ({ from, name }) => ![...(PROGRESS[from] ?? []), ...(KEYS[from] ?? [])].includes(name),
  );
  expect(planted.length).toBeGreaterThan(40);
  expect((await check()).code).toBe(0);
  for (const { from, name, type } of planted) {
    const other = ALLOWED[name] ?? OTHERS[type]?.(name) ?? `no other value for ${from}.${name}, ${type}`;
    await query('begin');
    await query(
      `create temporary table before on commit preserve rows as select * from app.${from} where record_id = '${record_id}'`,
    );
    await query(`update app.${from} set ${name} = ${other} where record_id = $1`, [record_id]);
    await query('commit');
    const { code, output } = await check();
    const report = NAMED[`${from}.${name}`] ?? new RegExp(`^${record_id}: .*\\b${name}\\b`, 'm');
    expect([`${from}.${name}`, code, output]).toEqual([`${from}.${name}`, 1, expect.stringMatching(report)]);
    expect(output).toContain(record_id);
    await query(`update app.${from} t set ${name} = b.${name} from before b where t.record_id = b.record_id`);
    await query('drop table before');
  }
  expect((await check()).code).toBe(0);
});

test('the columns that the database does not let change are those that are compared', async () => {
  const { rows } = await query(GUARDED);
  const guarded: readonly string[] = rows.map(({ name }) => name);
  const compared = columns
    .filter(({ from, name }) => from === 'decisions' && !PROGRESS.decisions?.includes(name))
    .map(({ name }) => name)
    .toSorted();
  // The calendar moves it until the grade; nothing follows from it afterwards.
  expect(guarded.filter((name) => !compared.includes(name))).toEqual(['settles_at']);
  // The first three follow from the outcome, and check-cohorts --rebuild corrects them. The last has a guard of its own,
  // which lets an erasure change it: tests/adapters/postgres/accounts/erasure-guards.test.ts. What a record counts as, and was
  // received as, has app.check_counted: tests/adapters/postgres/later-name-guards.test.ts.
  const otherwise = [
    ...['cohort_exception', 'cohort_key', 'counted_since', 'grid', 'instrument', 'move'],
    ...['received_cohort_key', 'received_symbol', 'submitted_symbol', 'symbol'],
  ];
  expect(compared.filter((name) => !guarded.includes(name))).toEqual(otherwise);
});

test('a state without its entry of the audit log, and an entry without its state, are found', async () => {
  const [record_id = ''] = database.ids;
  const set = (state: string) =>
    query('update app.decisions set lifecycle_state = $2 where record_id = $1', [record_id, state]);
  await set('quarantined');
  expect((await check()).output).toContain(`${record_id}: lifecycle_state is quarantined, and the last entry`);
  await database.opened.storage.audit.append({ actor: 'ada', action: 'quarantine', subject: record_id, detail: {} });
  expect((await check()).code).toBe(0);
  await set('evaluated');
  expect((await check()).output).toContain(`${record_id}: lifecycle_state is evaluated, and the last entry`);
  await database.opened.storage.audit.append({ actor: 'ada', action: 'release', subject: record_id, detail: {} });
  expect((await check()).code).toBe(0);
});

test('a relation that was added, and an agent that is younger than its record, are found', async () => {
  const [record_id = ''] = database.ids;
  await query('alter table app.decision_relations disable trigger user');
  await query(`insert into app.decision_relations values ($1, $1, 'extends')`, [record_id]);
  expect((await check()).output).toContain(
    `${record_id}: relations are none in the statement and extends ${record_id} as stored`,
  );
  await query('delete from app.decision_relations');
  await query(`update app.agents set created_at = app.now() + interval '1 hour'`);
  expect((await check()).output).toContain(`${record_id}: its agent was created later`);
});

const check = () => database.admin('check-evidence', '--without-cohorts');

const COLUMNS = `
  select attname as name, relname as from, format_type(atttypid, atttypmod) as type
  from pg_attribute join pg_class c on c.oid = attrelid
  where c.relnamespace = 'app'::regnamespace and relname = any($1) and attnum > 0 and not attisdropped and attgenerated = ''
  order by relname, attnum`;

const GUARDED = `
  select distinct attname::text as name from pg_trigger join pg_attribute on attrelid = tgrelid and attnum = any(tgattr)
  where tgrelid = 'app.decisions'::regclass and tgname in ('keep_submission', 'keep_grade', 'keep_state') order by 1`;

const CHECKS = `
  select quote_ident(conname) as name from pg_constraint where conrelid = $1::regclass and contype = 'c'`;
