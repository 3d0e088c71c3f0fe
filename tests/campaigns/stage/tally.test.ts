import { expect, test } from '@jest/globals';
import { openTally } from './tally.ts';

test('a tally counts what held and what did not, and says which', () => {
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
    'Cluster: 1 passed, 1 failed',
  ]);
});

test('a tally tells the first twenty faults, and how many there are', () => {
  const lines: string[] = [];
  const tally = openTally('Fuzz', (line) => lines.push(line));
  tally.check(
    'this does not hold',
    Array.from({ length: 23 }, (_, n) => `fault ${n}`),
  );
  expect(lines).toHaveLength(22);
  expect(lines.at(-1)).toBe('       and 3 more');
});
