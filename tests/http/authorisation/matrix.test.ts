import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { STORAGES } from '../../harness/service.ts';
import { type Cast, openCast } from './cast.ts';
import { judgeRow } from './judge-row.ts';
import { ROWS } from './rows.ts';
import { contradictions, operationsOf, securityIn } from './served.ts';

describe.each(STORAGES)('the authorisation matrix on %s', (storage) => {
  let cast: Cast;
  beforeAll(async () => {
    cast = await openCast(storage);
  });
  afterAll(() => cast.close());

  test('it has a row for every operation that is served, and no other', async () => {
    const served = operationsOf(await openApi());
    expect(new Set(ROWS.map(({ operation }) => operation))).toEqual(new Set(served));
  });

  test('every operation has a row in which a caller succeeds', () => {
    const proven = ROWS.filter(({ ok }) => ok !== null).map(({ operation }) => operation);
    expect(new Set(proven)).toEqual(new Set(ROWS.map(({ operation }) => operation)));
  });

  test('the credentials in the OpenAPI document are those of the matrix', async () => {
    expect(contradictions(ROWS, securityIn(await openApi()))).toEqual([]);
  });

  test.each(ROWS.map((row) => [`${row.operation} of ${row.of}`, row] as const))('%s', async (_, row) => {
    expect(await judgeRow(cast, row)).toEqual([]);
  });

  async function openApi() {
    return (await cast.wire.send({ method: 'GET', path: '/openapi.json' })).body;
  }
});
