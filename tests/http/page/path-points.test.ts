import { expect, test } from '@jest/globals';
import { pathPoints, reach, slotted } from '../../../adapters/http/page/browser/records/path-points.ts';
import { factsExample } from '../../../adapters/http/shapes/decisions/outcome.ts';

const { entry, exit } = factsExample;

test('the points of a bullish call are its facts, in the order of their times', () => {
  const points = pathPoints(factsExample, 'bullish');
  expect(points.map(({ kinds }) => kinds.join())).toEqual(['entry', 'mae', 'mfe', 'exit']);
  expect(points.flatMap(({ labels }) => labels)).toEqual([
    'entry',
    'MAE \u22120.60\u00a0%',
    'MFE +7.67\u00a0%',
    'exit',
  ]);
  expect(points[1]?.price).toBeCloseTo(23.136412 * (1 - 0.006033), 9);
  expect(points[2]?.price).toBeCloseTo(23.136412 * 1.076737, 9);
  expect(points[3]?.price).toBe(exit.adjusted_price);
});

test('the favourable excursion of a bearish decision lies below its entry', () => {
  const [, mae, mfe] = pathPoints(factsExample, 'bearish');
  expect(mfe?.price).toBeLessThan(entry.adjusted_price);
  expect(mae?.price).toBeGreaterThan(entry.adjusted_price);
});

test('the largest move of a neutral call is two levels, because the fact has no side', () => {
  const facts = { ...factsExample, mfe: null, mae: { time: exit.time, value: -0.1 } };
  expect(pathPoints(facts, 'neutral').map(({ kinds }) => kinds.join())).toEqual(['entry', 'exit']);
  expect(reach(facts, 'neutral').map((level) => level / entry.adjusted_price)).toEqual([0.9, 1.1]);
  expect(reach(factsExample, 'bullish')).toEqual([]);
});

test('an excursion that is the entry or the exit is one point with it', () => {
  const facts = { ...factsExample, mae: { time: entry.time, value: 0 } };
  const [first] = pathPoints(facts, 'bullish');
  expect([first?.kinds, first?.labels]).toEqual([
    ['entry', 'mae'],
    ['entry', 'MAE 0.00\u00a0%'],
  ]);
});

test('slots preserve the proportions of time, and no two points share one', () => {
  const points = [0, 25, 25, 100].map((at) => ({ at }));
  expect(slotted(points, 0, 100, 5).map(({ slot }) => slot)).toEqual([0, 1, 2, 4]);
  expect(slotted([{ at: 100 }, { at: 100 }], 0, 100, 5).map(({ slot }) => slot)).toEqual([4, 5]);
});
