import { describe, expect, test } from '@jest/globals';
import { type Isolation, isolationsWithin, pegFacts } from '../../../domain/circuits/circuit.ts';
import { HOUR, type Millis, rfc3339 } from '../../../domain/time.ts';

const ANCHOR = Date.parse('2026-03-02T12:00:00.000Z');
const WINDOW = { anchor_time: ANCHOR, end_time: ANCHOR + 4 * HOUR };
const isolation = (from: Millis, until: Millis | null, state: Isolation['state'] = 'tripped'): Isolation => {
  return { snapshot_id: 'a', state, from: ANCHOR + from, until: until === null ? null : ANCHOR + until };
};
const overlapsOf = (...isolations: readonly Isolation[]) =>
  pegFacts('USDT', isolations, WINDOW)?.overlaps.map(({ from, until }) => [from, until]) ?? null;

describe('the isolations that overlap a window', () => {
  test.each([
    ['within it', HOUR, 2 * HOUR, true],
    ['all around it', -HOUR, 5 * HOUR, true],
    ['into it', -HOUR, 1, true],
    ['ended as it began', -HOUR, 0, false],
    ['out of it', 3 * HOUR, 5 * HOUR, true],
    ['begun as it ended', 4 * HOUR, 5 * HOUR, true],
    ['begun after it', 4 * HOUR + 1, 5 * HOUR, false],
    ['long before', -2 * HOUR, -HOUR, false],
    ['going on still', -HOUR, null, true],
    ['of no time', HOUR, HOUR, false],
  ])('%s', (_, from, until, within) => {
    expect(isolationsWithin([isolation(from, until)], WINDOW)).toHaveLength(within ? 1 : 0);
  });
});

test('shows when each began and ended, up to the end of the window', () => {
  const at = (millis: Millis) => rfc3339(ANCHOR + millis);
  expect(overlapsOf(isolation(-HOUR, HOUR), isolation(HOUR, 2 * HOUR, 'warming'))).toEqual([
    [at(-HOUR), at(HOUR)],
    [at(HOUR), at(2 * HOUR)],
  ]);
  expect(overlapsOf(isolation(-HOUR, 4 * HOUR))).toEqual([[at(-HOUR), at(4 * HOUR)]]);
});

test('events after the window make no difference', () => {
  const open = overlapsOf(isolation(HOUR, null));
  expect(open).toEqual([[rfc3339(ANCHOR + HOUR), null]]);
  expect(overlapsOf(isolation(HOUR, 4 * HOUR + 1))).toEqual(open);
  expect(overlapsOf(isolation(HOUR, 90 * HOUR), isolation(90 * HOUR, null))).toEqual(open);
});

test('null for a coin that was normal throughout', () => {
  expect(overlapsOf()).toBeNull();
  expect(overlapsOf(isolation(-HOUR, 0), isolation(5 * HOUR, null))).toBeNull();
});
