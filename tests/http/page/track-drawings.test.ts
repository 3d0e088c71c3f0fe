import { expect, test } from '@jest/globals';
import {
  dotStacks,
  monthLabels,
  monthsBetween,
  windowLanes,
} from '../../../adapters/http/page/browser/agents/drawing-places.ts';

const window = (group: string, from: number, to: number) => ({ group, from, to });

test('windows that overlap are in different lanes, those that touch can share one', () => {
  const [msft, btc] = windowLanes([
    window('MSFT', 5, 15),
    window('BTC', 0, 30),
    window('MSFT', 0, 10),
    window('MSFT', 10, 20),
  ]);
  expect([msft?.group, btc?.group]).toEqual(['MSFT', 'BTC']);
  expect(msft?.lanes.map((lane) => lane.map(({ from, to }) => [from, to]))).toEqual([
    [
      [0, 10],
      [10, 20],
    ],
    [[5, 15]],
  ]);
  expect(btc?.lanes).toHaveLength(1);
  expect(windowLanes([])).toEqual([]);
});

test('dots of one column stand above each other, and none is at the place of another', () => {
  const dots = dotStacks([12, 3, 8, 14, 9], (place) => place, 9);
  expect(dots.map(({ each, x, level }) => [each, x, level])).toEqual([
    [3, 4.5, 0],
    [8, 4.5, 1],
    [9, 13.5, 0],
    [12, 13.5, 1],
    [14, 13.5, 2],
  ]);
});

test('months without a submission have their place', () => {
  expect(monthsBetween(['2025-11', '2026-02'])).toEqual(['2025-11', '2025-12', '2026-01', '2026-02']);
  expect(monthsBetween([])).toEqual([]);
});

test('the texts of months leave room for each other; the first one and each January have their year', () => {
  const months = monthsBetween(['2025-11', '2027-12']);
  const labels = monthLabels(months, 10, 64);
  expect(labels.map(({ words }) => words)).toEqual(['Nov 2025', 'Jun', 'Jan 2027', 'Aug']);
  for (const [n, { at }] of labels.slice(1).entries())
    expect((at - (labels[n]?.at ?? 0)) * 10).toBeGreaterThanOrEqual(64);
  expect(monthLabels(months, 2, 64).map(({ words }) => words)).toEqual(['Nov 2025']);
});
