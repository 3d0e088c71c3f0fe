import { expect, test } from '@jest/globals';
import { openTally } from './tally.ts';

test('a tally prints and counts the promises that held and those that did not', () => {
  const lines: string[] = [];
  const tally = openTally('Cluster', (line) => lines.push(line));
  tally.check('this holds', []);
  tally.check('that does not', ['one', 'two\nin two lines']);
  expect(tally.close()).toBe(false);
  expect(lines).toEqual([
    'held   this holds',
    'BROKEN that does not',
    '       one',
    '       two\n       in two lines',
    'BROKEN, as above: that does not',
    '       one',
    '       two\n       in two lines',
    'Cluster: 1 passed, 1 failed',
  ]);
});

test('a tally prints the first twenty faults and counts the rest', () => {
  const lines: string[] = [];
  const tally = openTally('Fuzz', (line) => lines.push(line));
  tally.check(
    'this does not hold',
    Array.from({ length: 23 }, (_, n) => `fault ${n}`),
  );
  expect(lines).toHaveLength(22);
  expect(lines.at(-1)).toBe('       and 3 more');
});

test('a promise that does not hold is printed with what was found instead', () => {
  const lines: string[] = [];
  const { holds } = openTally('Browser', (line) => lines.push(line));
  holds('one', true, 'not printed');
  holds('two', false, 'text');
  holds('three', false, { status: 500 });
  holds('four', false);
  expect(lines).toEqual([
    'held   one',
    ...['BROKEN two', '       text'],
    ...['BROKEN three', '       {"status":500}'],
    ...['BROKEN four', '       it does not hold'],
  ]);
});
