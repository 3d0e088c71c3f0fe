import { describe, expect, test } from '@jest/globals';
import { doubled, forked, lost, unacknowledged, unsent } from './check.ts';
import { longestSilence } from './journal.ts';
import type { ServedTree } from './served-log.ts';

const entries = [{ key: 'a', record_id: 'dec_1' }, { key: 'b', record_id: 'dec_2' }, { key: 'c' }];
const [one, two] = [
  { record_id: 'dec_1', key: 'a' },
  { record_id: 'dec_2', key: 'b' },
];

test('an acknowledged submission that is stored under its id is not lost', () => {
  expect(lost({ entries }, [one, two])).toEqual([]);
});

test.each([
  ['is not stored', [one]],
  ['is stored for another submission', [one, { record_id: 'dec_2', key: 'c' }]],
  ['is stored under another id', [one, { record_id: 'dec_3', key: 'b' }]],
])('an acknowledged submission that %s is lost', (_, stored) => {
  expect(lost({ entries }, stored)).toEqual([expect.stringContaining('dec_2')]);
});

test('a submission that is two records is reported with both', () => {
  expect(doubled([one, two])).toEqual([]);
  expect(doubled([one, two, { record_id: 'dec_3', key: 'a' }])).toEqual(['a is dec_1 and dec_3']);
});

test('a record that was never sent is reported; an unacknowledged one is not', () => {
  expect(unsent({ entries }, [one, { record_id: 'dec_4', key: 'c' }])).toEqual([]);
  expect(unsent({ entries }, [one, { record_id: 'dec_5', key: 'd' }])).toEqual([expect.stringContaining('dec_5')]);
});

test('a submission that was never acknowledged is reported', () => {
  expect(unacknowledged({ entries })).toEqual([expect.stringMatching(/^c /)]);
});

test('the longest silence counts from the incident and between acknowledgements', () => {
  expect(longestSilence({ acknowledged: [1, 4, 5, 11, 12] }, 3)).toBe(6);
  expect(longestSilence({ acknowledged: [1, 20, 21] }, 3)).toBe(17);
});

describe('the trees that nodes served', () => {
  const tree = (node: string, size: number, root = `root of ${size}`, log = 1): ServedTree => {
    return { node, origin: `test/log/${log}`, size, root };
  };
  const GROWING = [tree('a', 1), tree('b', 1), tree('a', 3), tree('b', 2), tree('b', 3)];

  test('are no fork while logs grow, end with fewer leaves, and another log starts', () => {
    expect(forked([...GROWING, tree('a', 2), tree('a', 1, 'first of the second', 2), tree('b', 2)])).toEqual([]);
  });

  test.each([
    ['at one size another root at one node', [tree('a', 3, 'other')], '3 leaves of test/log/1 have the roots'],
    ['another root at another node', [tree('b', 4), tree('a', 4, 'other')], '4 leaves of test/log/1 have the roots'],
    [
      'more leaves after some were lost',
      [tree('a', 2), tree('a', 4)],
      'test/log/1 at a lost leaves and grew again, to 4',
    ],
  ])('are a fork with %s', (_, further, message) => {
    expect(forked([...GROWING, ...further])).toEqual([expect.stringContaining(message)]);
  });
});
