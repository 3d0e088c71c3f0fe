import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { differencesFrom, OPERATIONS } from '../operations/operations.ts';
import { sendersOf } from './callers.ts';
import { type Cast, openCast } from './cast.ts';
import { judgeRow } from './judge-row.ts';
import { ROWS } from './rows.ts';
import { contradictions, operationsOf, securityIn } from './served.ts';

// On PostgreSQL alone: negative-controls.control.ts asks every operation in memory.
describe('the authorisation matrix', () => {
  let cast: Cast;
  beforeAll(async () => {
    cast = await openCast('postgres');
  });
  afterAll(() => cast.close());

  test('it has a row for every operation that is served, and no other', async () => {
    expect(differencesFrom(operationsOf(await openApi()))).toEqual([]);
  });

  test('every operation has a row in which a caller succeeds', () => {
    const proven = ROWS.filter(({ ok }) => ok !== null).map(({ operation }) => operation);
    expect(new Set(proven)).toEqual(new Set(OPERATIONS.map(({ name }) => name)));
  });

  test('the credentials in the OpenAPI document are those of the matrix', async () => {
    expect(contradictions(ROWS, securityIn(await openApi()))).toEqual([]);
  });

  test.each(ROWS.map((row) => [`${row.operation} of ${row.of}`, row] as const))('%s', async (_, row) => {
    expect(await judgeRow(cast, row, cast.wire, sendersOf(cast, row))).toEqual([]);
  });

  async function openApi() {
    return (await cast.wire.send({ method: 'GET', path: '/openapi.json' })).body;
  }
});
