import { describe, expect, test } from '@jest/globals';
import { COLUMNS, readRows } from './rows.ts';
import { contradictions } from './served.ts';

describe('the table', () => {
  const head = `${COLUMNS.join(' ')} of ok operation`;
  const line = (cells: string, rest: string) => `${head}\n${`${cells} `.repeat(COLUMNS.length)} ${rest}`;

  test.each([
    ['a letter that stands for nothing', line('x', '. 200 GET /nodes')],
    ['a cell too few', line('o', '. 200 GET /nodes').replace('\no', '\n')],
    ['nobody who is served by a success', line('401', '. 200 GET /nodes')],
    ['somebody who is served by none', line('o', '. - GET /nodes')],
    ['columns in another order', line('o', '. 200 GET /nodes').replace('rw  ro', 'ro rw').replace('rw ro', 'ro rw')],
  ])('it refuses %s', (_, table) => {
    expect(() => readRows(table)).toThrow(/^No (row|head)/);
  });

  test.each([
    ['401 401 404', ['api_key']],
    ['404 401 404', ['api_key', 'none']],
    ['404 404 404', []],
  ])('credentials in the document that differ from those of %s are found', (cells, taken) => {
    const rows = readRows(line('403', '. - GET /nodes').replace('403 403 403', cells));
    expect(contradictions(rows, new Map([['GET /nodes', taken]]))).toEqual([]);
    expect(contradictions(rows, new Map([['GET /nodes', [...taken, 'owner_bearer']]]))).toHaveLength(1);
  });
});
