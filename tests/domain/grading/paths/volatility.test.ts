import { describe, expect, test } from '@jest/globals';
import { dailyReturns, dailySigma } from '../../../../domain/grading/paths/volatility.ts';
import { calendarOf } from '../../../../domain/market/calendars/by-venue.ts';
import { amchartsBars, at, BTC, compounded, cryptoDays, MSFT, SPX, spxBars } from '../../market/real-bars.ts';

const us = calendarOf(SPX);
const crypto = calendarOf(BTC);
const end = at('2024-03-09');

/** Closes that move by the given log returns. */
function days(...returns: number[]) {
  return cryptoDays(end, compounded(returns));
}

describe('volatility of a day', () => {
  test('is the zero-mean deviation of the last twenty returns', () => {
    const returns = [...Array(5).fill(0.5), ...Array(10).fill(0.01), ...Array(10).fill(-0.03)];
    expect(dailySigma(crypto, days(...returns), end)).toBeCloseTo(Math.sqrt((10 * 0.0001 + 10 * 0.0009) / 20), 12);
  });

  test('needs ten returns', () => {
    expect(dailySigma(crypto, days(...Array(10).fill(0.02)), end)).toBeCloseTo(0.02, 12);
    expect(dailySigma(crypto, days(...Array(9).fill(0.02)), end)).toBeNull();
  });

  test('is never below a tenth of a percent', () => {
    expect(dailySigma(crypto, days(...Array(20).fill(0)), end)).toBe(0.001);
  });

  test('uses the close at the anchor, and none a millisecond before its end', () => {
    const bars = days(...Array(20).fill(0.01), 0.2);
    expect(dailySigma(crypto, bars, end)).toBeGreaterThan(0.04);
    expect(dailySigma(crypto, bars, end - 1)).toBeCloseTo(0.01, 12);
  });
});

describe('returns', () => {
  test('over a missing session are left out', () => {
    const bars = days(0.01, 0.02, 0.03, 0.04).filter((_, i) => i !== 2);
    expect(dailyReturns(crypto, bars).map((r) => Number(r.toFixed(9)))).toEqual([0.01, 0.04]);
  });

  test('over weekends and holidays are not', () => {
    const bars = spxBars();
    expect(dailyReturns(us, bars)).toHaveLength(bars.length - 1);
  });

  test('are blind to splits', () => {
    const bars = amchartsBars('MSFT').filter(({ start }) => start > at('2003-02-10') && start < at('2003-02-25'));
    expect(Math.max(...dailyReturns(calendarOf(MSFT), bars).map(Math.abs))).toBeLessThan(0.05);
  });
});
