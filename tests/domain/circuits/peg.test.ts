import { describe, expect, test } from '@jest/globals';
import { type PegQuote, pegOf } from '../../../domain/circuits/peg.ts';
import { MINUTE } from '../../../domain/time.ts';

const NOW = new Date('2026-03-02T12:00:00.000Z');
const quote = (source: string, price: number, age = 0): PegQuote => {
  return { source, price, at: new Date(NOW.getTime() - age) };
};

describe('the median of the fresh sources', () => {
  test.each([
    ['of three the middle one, one that is far off notwithstanding', [0.9, 1.0001, 0.9999], 0.9999, 1],
    ['of two their mean', [0.98, 1], 0.99, 100],
    ['above the dollar as below it', [1.005, 1.005], 1.005, 50],
    ['at par no drift', [1, 1, 1], 1, 0],
  ])('%s', (_, prices, price, drift_bps) => {
    const quotes = prices.map((each, index) => quote(`source ${index}`, each));
    expect(pegOf(quotes, NOW)).toEqual({ price, drift_bps, sources: quotes, observed_at: NOW });
  });

  test.each([
    [1.005, 50],
    [0.995, 50],
    [0.99, 100],
    [1.02, 200],
    [0.98, 200],
    [0.995_000_1, 49.999],
  ])('a price of %d drifts by %d bps, without the noise of floating point', (price, drift_bps) => {
    expect(pegOf([quote('a', price), quote('b', price)], NOW)?.drift_bps).toBe(drift_bps);
  });

  test('five minutes are fresh, a moment more is not; and as far ahead', () => {
    const fresh = [quote('a', 1, 5 * MINUTE), quote('b', 1, -5 * MINUTE)];
    const others = [quote('c', 2, 5 * MINUTE + 1), quote('d', 2, -5 * MINUTE - 1)];
    expect(pegOf([...fresh, ...others], NOW)?.sources).toEqual(fresh);
  });

  test('a quote without a time counts as made when it is received', () => {
    const peg = pegOf([quote('a', 1, MINUTE), { source: 'b', price: 1, at: null }], NOW);
    expect(peg?.sources).toEqual([quote('a', 1, MINUTE), quote('b', 1)]);
  });

  test('of a source only the newest quote counts', () => {
    const quotes = [quote('a', 0.5, 1_000), quote('a', 1, 0), quote('a', 0.4, 2_000), quote('b', 1)];
    expect(pegOf(quotes, NOW)).toMatchObject({ price: 1, sources: [quote('a', 1), quote('b', 1)] });
  });
});

describe('no observation', () => {
  test.each([
    ['without sources', []],
    ['of one source', [quote('a', 1)]],
    ['of one source that speaks twice', [quote('a', 1), quote('a', 1, 1)]],
    ['of one fresh source and an old one', [quote('a', 1), quote('b', 1, 6 * MINUTE)]],
    ...[0, -1, Number.NaN, Number.POSITIVE_INFINITY, 10.01].map(
      (price) => [`of one source and a price of ${price}`, [quote('a', 1), quote('b', price)]] as const,
    ),
    ['of one source and a time that is none', [quote('a', 1), { source: 'b', price: 1, at: new Date(Number.NaN) }]],
  ] as const)('%s', (_, quotes) => {
    expect(pegOf(quotes, NOW)).toBeNull();
  });
});
