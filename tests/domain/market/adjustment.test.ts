import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  actionFaults,
  asTraded,
  type CorporateAction,
  factorsOf,
  firstIndex,
} from '../../../domain/market/adjustment.ts';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import { BTC } from './real-bars.ts';

const crypto = calendarOf(BTC);
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

test('equal rows of a date are one dividend, different ones add up, and on the date of a split they are per new share', () => {
  const daily = [day(0, 100), day(10, 99)];
  const totalOf = (...actions: readonly CorporateAction[]) => factorsOf(daily, actions)(0).total;
  expect(totalOf(dividend(10, 1), dividend(10, 1))).toBe(0.99);
  expect(totalOf(dividend(10, 1), dividend(10, 2), dividend(10, 1))).toBe(0.97);
  expect(totalOf(split(10, 2), dividend(10, 1))).toBe(0.49);
});

test('what cannot be is not believed, and named with what to send', () => {
  const daily = [day(0, 100), day(10, 99)];
  const impossible = [dividend(10, 90), split(10, 6_000), split(10, 1)];
  expect(factorsOf(daily, impossible)(0)).toEqual({ split: 1, total: 1 });
  expect(actionFaults(crypto, daily, impossible)).toEqual([
    expect.stringContaining('1970-01-01 has two splits: send one row'),
    expect.stringContaining('a split of ratio 1, or beyond 5000: send the new shares per old one'),
    expect.stringContaining('a dividend of 90, with a close of 100 before it: send the amount per share'),
  ]);
  expect(actionFaults(crypto, daily, [dividend(10, 89), split(10, 0.5)])).toEqual([]);
});

test('prices that are adjusted for splits become those that were traded', () => {
  const row = (start: number, price: number) => ({
    ...{ start, end: start + 1, open: price, high: price, low: price, close: price, volume: 1, adj_close: null },
  });
  const traded = asTraded([row(0, 100), row(10, 101)], [split(10, 2), dividend(10, 1)]);
  expect(traded.map(({ open, close, volume }) => [open, close, volume])).toEqual([
    [200, 200, 0.5],
    [101, 101, 1],
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
