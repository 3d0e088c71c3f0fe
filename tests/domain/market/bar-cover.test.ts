import { describe, expect, test } from '@jest/globals';
import { type BarStretch, coverOf } from '../../../domain/market/bar-cache.ts';

test('without stretches everything is missing', () => {
  expect(coverOf([], 3, 9)).toEqual({ bars: [], missing: { from: 3, to: 9 } });
});

test('an empty span has nothing missing', () => {
  expect(coverOf([], 3, 3)).toEqual({ bars: [], missing: null });
});

describe('what is missing is one stretch around all gaps:', () => {
  test.each([
    ['before', [stretch(5, 12)], { from: 3, to: 5 }],
    ['after', [stretch(0, 5)], { from: 5, to: 9 }],
    ['between', [stretch(0, 4), stretch(6, 9)], { from: 4, to: 6 }],
    ['on both sides', [stretch(5, 6)], { from: 3, to: 9 }],
    ['nowhere', [stretch(5, 12), stretch(3, 5)], null],
  ])('%s', (_, stretches, missing) => {
    expect(coverOf(stretches, 3, 9).missing).toEqual(missing);
  });
});

test('where stretches overlap the first one is used, also for bars that it lacks', () => {
  const { bars } = coverOf([{ ...stretch(3, 6, 1), bars: [] }, stretch(2, 8, 2), stretch(0, 10, 3)], 0, 10);
  expect(bars.map(({ start, volume }) => [start, volume])).toEqual([
    [0, 3],
    [1, 3],
    [2, 2],
    [6, 2],
    [7, 2],
    [8, 3],
    [9, 3],
  ]);
});

test('bars that end after the requested time are left out', () => {
  const { bars } = coverOf([stretch(0, 10)], 2.5, 5.5);
  expect(bars.map(({ start }) => start)).toEqual([3, 4]);
});

/** A bar at each whole number. */
function stretch(from: number, to: number, volume = 0): BarStretch {
  const prices = { open: 1, high: 1, low: 1, close: 1, split: 1, total: 1 };
  const bars = Array.from({ length: to - from }, (_, i) => ({ start: from + i, end: from + i + 1, volume, ...prices }));
  return { from, to, bars };
}
