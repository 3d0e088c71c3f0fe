import { describe, expect, test } from '@jest/globals';
import { addition, COLUMNS, operation, readCells } from '../operations/operation.ts';
import { rowsIn } from './rows.ts';
import { contradictions } from './served.ts';

const HEAD = `${COLUMNS.join(' ')} who`;
const line = (cells: string, who: string) => `${HEAD}\n${`${cells} `.repeat(COLUMNS.length)} ${who}`;

describe('the table', () => {
  test.each([
    ['a letter that stands for nothing', line('x', 'everyone')],
    ['a cell too few', line('o', 'everyone').replace('\no', '\n')],
    ['a cell too many', line('o', 'o everyone')],
    ['columns in another order', line('o', 'everyone').replace('rw ro', 'ro rw')],
  ])('it refuses %s', (_, table) => {
    expect(() => readCells(table)).toThrow(/^No (row|head)/);
  });

  test('an operation needs a line of the table, and one that serves somebody', () => {
    expect(() => operation('GET /nodes', 200, 'noone')).toThrow('No line of the table is called "noone".');
    expect(() => addition('GET /nodes', 200, 'nobody')).toThrow('GET /nodes has no row in which a caller succeeds.');
  });

  test('a row in which everybody is refused has no success', () => {
    const both = operation('GET /nodes', 200, { open: 'nobody', public: 'everyone' });
    expect(rowsIn([both]).map(({ of, ok }) => [of, ok])).toEqual([
      ['open', null],
      ['public', 200],
    ]);
  });

  test.each([
    ['401 401 404', ['api_key']],
    ['404 401 404', ['api_key', 'none']],
    ['404 404 404', []],
  ])('credentials in the document that differ from those of %s are found', (cells, taken) => {
    const [who] = readCells(line('403', 'some').replace('403 403 403', cells)).values();
    const rows = rowsIn([{ ...operation('GET /nodes', 200, 'everyone'), who: new Map(who ? [['.', who]] : []) }]);
    expect(contradictions(rows, new Map([['GET /nodes', taken]]))).toEqual([]);
    expect(contradictions(rows, new Map([['GET /nodes', [...taken, 'owner_bearer']]]))).toHaveLength(1);
  });
});
