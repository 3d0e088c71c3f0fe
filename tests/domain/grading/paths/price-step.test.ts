import { describe, expect, test } from '@jest/globals';
import { gridFault, gridZ, priceStep } from '../../../../domain/grading/paths/price-step.ts';
import type { Bar } from '../../../../domain/market/bars.ts';
import { at, cryptoDays, pufaBars } from '../../market/real-bars.ts';

/** Bars that open and close at the given prices. */
function bars(prices: readonly (readonly [open: number, close: number])[], split = 1): Bar[] {
  return cryptoDays(
    at('2024-03-09'),
    prices.map(([, close]) => close),
  ).map((bar, i) => {
    const [open = 0, close = 0] = prices[i] ?? [];
    return { ...bar, open, close, high: Math.max(open, close), low: Math.min(open, close), split };
  });
}

const many = Array.from({ length: 12 }, (_, i) => [100 + i, 100.25 + 2 * i] as const);

describe('the step of a price', () => {
  test('is the smallest difference between two raw prices, whichever they are', () => {
    expect(priceStep(bars([...many, [150, 100.1]]), 1)).toBeCloseTo(0.1, 12);
  });

  test('is a cent for 600000', () => {
    expect(priceStep(pufaBars('1d').slice(-21), 1)).toBeCloseTo(0.01, 9);
  });

  test('is never the rounding of a number', () => {
    expect(priceStep(bars([...many, [100, 100.00009]]), 1)).toBeCloseTo(0.25, 3);
    expect(priceStep(bars([...many, [100, 100.00011]]), 1)).toBeCloseTo(0.00011, 12);
  });

  test('is that of the units of the entry, however small it was before a split', () => {
    const [before, after] = [bars([[50, 50.01], ...many.slice(1)], 0.5), bars(many)];
    expect(priceStep([...before, ...after], 1)).toBe(0.25);
    expect(priceStep([...before, ...after], 0.5)).toBeCloseTo(0.01, 9);
  });

  test('needs ten bars: before, those of the units before a split count too', () => {
    const [before, after] = [bars([[50, 50.01], ...many.slice(1)], 0.5), bars([[25, 26.5]])];
    expect(priceStep([...before, ...after], 1)).toBeCloseTo(0.01, 9);
    expect(priceStep(before, 1)).toBeCloseTo(0.01, 9);
  });

  test('is unknown when no two prices differ', () => {
    expect(priceStep(bars(many.map(() => [7, 7])), 1)).toBe(Number.POSITIVE_INFINITY);
  });
});

test('a share at 8.10 with steps of a cent over two minutes: 1.5 sigmas, too coarse', () => {
  const sigma = 0.013;
  const ofTwoMinutes = sigma * Math.sqrt((2 / 240) * 0.5);
  const z = gridZ(bars([[8.1, 8.11], ...many]), { price: 8.1, split: 1 }, ofTwoMinutes);
  expect(z).toBeCloseTo(1.47, 2);
  expect(gridFault(z)).toMatchObject({ kind: 'data_unavailable', reason: 'coarse_prices' });
});

test('the widest step is the narrowest bucket', () => {
  expect([gridFault(0.318639), gridFault(0.31864)?.reason]).toEqual([null, 'coarse_prices']);
});
