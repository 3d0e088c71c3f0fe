import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { DUE_STATES, LIFECYCLE_STATES, statesBefore } from '../../../../domain/decisions/lifecycle.ts';
import { freshDatabase, type TestDatabase } from '../../../harness/database.ts';

let database: TestDatabase;
let definitions: readonly string[];

beforeAll(async () => {
  database = await freshDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ definition: string }>(DEFINITIONS);
  await client.end();
  definitions = rows.map(({ definition }) => definition);
});
afterAll(() => database.drop());

test('a record is in one of the states of the domain', () => {
  expect(statesIn(/^CHECK \(\(lifecycle_state = ANY/)).toEqual(LIFECYCLE_STATES.toSorted());
});

test('what is due is in a state before a claim, and what is in one is due', () => {
  expect(statesIn(/^CHECK .*= \(due_at IS NOT NULL\)/)).toEqual(DUE_STATES.toSorted());
});

test('what has the token of a lease is in a state before the end of an evaluation', () => {
  expect(statesIn(/^CHECK .*= \(eval_token IS NOT NULL\)/)).toEqual([...statesBefore('grade')]);
});

test('the indexes by instrument hold the states before a verification, and before a refresh', () => {
  expect(statesIn(/ INDEX decisions_unverified /)).toEqual([...statesBefore('verify')]);
  expect(statesIn(/ INDEX decisions_failed /)).toEqual(statesBefore('refresh').toSorted());
});

/** The states that the one such definition names, in the order of their names. */
function statesIn(pattern: RegExp): string[] {
  const found = definitions.filter((definition) => pattern.test(definition));
  expect(found).toHaveLength(1);
  return [...(found[0] ?? '').matchAll(/'(\w+)'::text/g)].map(([, state = '']) => state).sort();
}

const DEFINITIONS = `
  select pg_get_constraintdef(oid) as definition from pg_constraint
  where conrelid = 'app.decisions'::regclass and contype = 'c'
  union all
  select indexdef from pg_indexes where schemaname = 'app' and tablename = 'decisions'`;
