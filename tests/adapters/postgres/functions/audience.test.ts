import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { countedAs } from '../../../../domain/cohorts/counted-as.ts';
import { SUBMISSION_ORIGINS } from '../../../../domain/decisions/call.ts';
import { LIFECYCLE_STATES } from '../../../../domain/decisions/lifecycle.ts';
import { refusedRelations } from '../../../../domain/decisions/submission/relations.ts';
import { isPublic, isPublicTarget } from '../../../../domain/decisions/visibility.ts';
import { cohortException } from '../../../../domain/grading/cohort-exception.ts';
import { COHORT } from '../../../../domain/limits.ts';
import { anOutcome } from '../../../builders/outcomes.ts';
import { factsOf, OUTCOME_PARTS } from '../../../contracts/cohorts/outcome-parts.ts';
import { freshDatabase, type TestDatabase } from '../../../harness/database.ts';

const ADAPTER = join(import.meta.dirname, '../../../../adapters/postgres');
const [READER, OTHER] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
const NOON = new Date('2026-03-02T12:00:00.000Z');

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await freshDatabase();
  client = new pg.Client(database.serviceUrl);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

async function value(expression: string, values: readonly unknown[]): Promise<unknown> {
  const { rows } = await client.query(`select ${expression} as value`, [...values]);
  return rows[0].value;
}

describe.each(LIFECYCLE_STATES)('a record that is %s', (lifecycle_state) => {
  test('is public in SQL exactly where the domain has it public', async () => {
    expect(await value('app.is_public($1)', [lifecycle_state])).toBe(isPublic({ lifecycle_state }));
  });

  test('may be read, and pointed to, by the same in SQL and in the domain', async () => {
    for (const owner_id of [READER, OTHER]) {
      const record = { record_id: 'dec_20260302_00000000', owner_id, agent_id: '', data_cutoff: NOON, lifecycle_state };
      const related = [{ record_id: record.record_id, relation: 'references' }] as const;
      const refused = refusedRelations({ owner_id: READER, agent_id: '', data_cutoff: NOON, related }, [record]);
      const read = await value('app.may_read($1, $2, $3)', [READER, owner_id, lifecycle_state]);
      expect([owner_id, read]).toEqual([owner_id, refused.length === 0]);
    }
    const byNobody = await value('coalesce(app.may_read(null, $1, $2), false)', [OTHER, lifecycle_state]);
    expect(byNobody).toBe(isPublic({ lifecycle_state }));
  });

  test('is a target that others see at the same times in SQL and in the domain', async () => {
    for (const millis of [-1, 0, 1]) {
      const evaluated_at = new Date(NOON.getTime() + millis);
      const shown = await value('app.was_public_at($1, $2, $3)', [NOON, lifecycle_state, evaluated_at]);
      const target = { lifecycle_state, evaluated_at };
      expect([millis, shown]).toEqual([millis, isPublicTarget(target, { submission_time: NOON })]);
    }
  });
});

test.each(OUTCOME_PARTS)('an outcome of the part %s is counted by cohorts in SQL as in the domain', async (part) => {
  const facts = factsOf(part, anOutcome().facts);
  for (const submission_origin of SUBMISSION_ORIGINS) {
    const counted = await value('app.counted_as($1, $2)', [submission_origin, cohortException(facts)]);
    expect([submission_origin, counted]).toEqual([submission_origin, countedAs({ submission_origin, facts })]);
  }
});

describe('the view of public records', () => {
  test('is one scan of the table, by the partial indexes on public records', async () => {
    await client.query('set enable_seqscan = off; set enable_bitmapscan = off');
    const plan = await explained(`select record_id from app.public_decisions where market = 'crypto'
      order by data_cutoff desc, record_id desc limit 5`);
    expect(plan).toMatch(/^Limit\n {2}-> {2}Index (Only )?Scan Backward using public_by_market on decisions\n/);
    expect(plan).not.toContain('is_public');
    const own = await explained(`select from app.decisions d where d.record_id = 'x'
      and app.may_read(reader => '${READER}', owner_id => d.owner_id, lifecycle_state => d.lifecycle_state)`);
    expect(own).toContain(`((owner_id = '${READER}'::uuid) OR (lifecycle_state = 'evaluated'::text))`);
  });

  test('has every column of the table', async () => {
    const { rows } = await client.query<{ name: string; columns: string[] }>(
      `select table_name as name, array_agg(column_name::text order by ordinal_position) as columns
       from information_schema.columns
       where table_schema = 'app' and table_name in ('decisions', 'public_decisions') group by 1 order by 1`,
    );
    expect(rows[1]?.columns).toEqual(rows[0]?.columns);
  });

  async function explained(sql: string): Promise<string> {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (costs off) ${sql}`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  }
});

test('a cell keeps as many owners as the highest threshold that an operator may set', async () => {
  expect(await value('app.owners_of_a_cell()', [])).toBe(COHORT.mostMinProducers);
});

describe('one definition each', () => {
  const files = readdirSync(ADAPTER, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|sql)$/.test(file) && !file.startsWith('migrations') && file !== 'schema.sql')
    .map((file) => [file, readFileSync(join(ADAPTER, file), 'utf8')] as const);
  const withText = (pattern: RegExp) => files.filter(([, text]) => pattern.test(text)).map(([file]) => file);

  test('functions/audience.sql alone says which state is public', () => {
    expect(withText(/(?<!set )lifecycle_state\)? (=|<>|in) \(?'evaluated'|'evaluated' in/)).toEqual([
      'functions/audience.sql',
    ]);
  });

  test('no length of time of the contract is written in SQL: each is a parameter, or made from domain/limits.ts', () => {
    // A unit of one is a window or the conversion of a number.
    const interval = /interval '(?!1 (?:second|minute|hour|day|month|millisecond)'|\$\{)[^']*'/g;
    expect(files.flatMap(([file, text]) => [...text.matchAll(interval)].map(([written]) => [file, written]))).toEqual([
      // A guard that no role can set: security-events.test.ts compares it with domain/limits.ts.
      ['functions/accounts.sql', "interval '30 days'"],
      ['functions/cohort-cells.sql', "interval '6 hours'"],
      // As the first: erasure-guards.test.ts.
      ['functions/erasure.sql', "interval '7 days'"],
    ]);
  });
});
