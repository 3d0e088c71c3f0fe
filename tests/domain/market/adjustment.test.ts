import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type CorporateAction, factorsOf, firstIndex } from '../../../domain/market/adjustment.ts';

const day = (start: number, close: number, adj_close: number | null = null) => ({ start, close, adj_close });
const split = (at: number, value: number): CorporateAction => ({ at, kind: 'split', value });
const dividend = (at: number, value: number): CorporateAction => ({ at, kind: 'dividend', value });

test('without actions and adjusted closes a price is as it was traded', () => {
  expect(factorsOf([], [])(5)).toEqual({ split: 1, total: 1 });
});

test('splits multiply up, each for the bars that start before it', () => {
  const factors = factorsOf([], [split(10, 2), split(20, 5)]);
  expect([9, 10, 19, 20].map((start) => factors(start).split)).toEqual([0.1, 0.2, 0.2, 1]);
});

test('a reverse split raises earlier prices', () => {
  expect(factorsOf([], [split(10, 0.1)])(5)).toEqual({ split: 10, total: 10 });
});

test('a dividend touches total alone, as a share of the last close before it', () => {
  const factors = factorsOf([day(0, 50), day(10, 100), day(20, 90)], [dividend(20, 10)]);
  expect([factors(10), factors(20)]).toEqual([
    { split: 1, total: 0.9 },
    { split: 1, total: 1 },
  ]);
});

test('the adjusted close of a source decides over its list of dividends', () => {
  expect(factorsOf([day(0, 100, 80), day(10, 100, 100)], [dividend(10, 50)])(0).total).toBe(0.8);
});

test('a bar between two days takes the factors of the earlier, but no split that came between', () => {
  const factors = factorsOf([day(0, 100, 45), day(20, 50, 50)], [split(10, 2)]);
  expect(factors(9)).toEqual({ split: 0.5, total: 0.45 });
  expect(factors(10)).toEqual({ split: 1, total: 0.9 });
});

test('total over split never falls from an earlier bar to a later one when only dividends are paid', () => {
  const payments = fc.array(fc.record({ at: fc.nat(100), value: fc.integer({ min: 1, max: 9 }) }), { maxLength: 6 });
  fc.assert(
    fc.property(payments, fc.nat(100), fc.nat(100), (paid, one, other) => {
      const factors = factorsOf(
        [day(-1, 100)],
        paid.map(({ at, value }) => dividend(at, value)),
      );
      expect(factors(Math.min(one, other)).total).toBeLessThanOrEqual(factors(Math.max(one, other)).total);
    }),
  );
});

test('firstIndex finds what a search from the front finds', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), fc.nat(20), (values, bound) => {
      const sorted = [...values].sort((a, b) => a - b);
      const found = sorted.findIndex((value) => value >= bound);
      expect(firstIndex(sorted, (value) => value >= bound)).toBe(found < 0 ? sorted.length : found);
    }),
  );
});
