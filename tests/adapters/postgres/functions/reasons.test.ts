import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { LIFECYCLE_STATES } from '../../../../domain/decisions/lifecycle.ts';
import { ungradedReason } from '../../../../domain/decisions/ungraded.ts';
import { freshDatabase, type TestDatabase } from '../../../harness/database.ts';

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

const ERRORS = [
  ...[
    'coverage: 3 of 10 bars',
    'no_entry: ',
    'no_print: none: at all',
    'halted: two\nlines',
    'coverage:',
    'Coverage: 3',
  ],
  ...['', ': nothing', 'no reason', 'a b: c', null],
];

describe.each(LIFECYCLE_STATES)('a record that is %s', (lifecycle_state) => {
  test('is ungraded for the same reason in SQL and in the domain', async () => {
    for (const last_error of ERRORS) {
      const { rows } = await client.query('select app.ungraded_reason($1, $2) as reason', [
        lifecycle_state,
        last_error,
      ]);
      const expected = { last_error, reason: ungradedReason({ lifecycle_state, last_error }) };
      expect({ last_error, ...rows[0] }).toEqual(expected);
    }
  });
});

test('what no reason is stored for is counted as unknown', () => {
  const reasons = ERRORS.map((last_error) => ungradedReason({ lifecycle_state: 'data_unavailable', last_error }));
  const known = ['coverage', 'no_entry', 'no_print', 'halted'];
  expect(reasons).toEqual([...known, ...Array.from({ length: 7 }, () => 'unknown')]);
});
