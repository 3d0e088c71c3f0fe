import { describe, expect, test } from '@jest/globals';
import { observe } from '../../../../domain/grading/bars/coverage.ts';
import { calendarOf } from '../../../../domain/market/calendars/by-venue.ts';
import { HOUR, MINUTE } from '../../../../domain/time.ts';
import { at, BTC, cryptoDays, PUFA, pufaBars, SPX, series } from '../../market/real-bars.ts';

const crypto = calendarOf(BTC);
const china = calendarOf(PUFA);

/** Ten UTC days to 11 March, without the days of these numbers. */
function daysWithout(...missing: number[]) {
  const bars = cryptoDays(at('2024-03-11'), Array(10).fill(100)).filter((_, i) => !missing.includes(i));
  return observe(crypto, series(bars), at('2024-03-01'), at('2024-03-11'));
}

describe('halts', () => {
  test('are days without a bar, which the next day’s bar does not fill', () => {
    expect(daysWithout(4)).toEqual({
      coverage: { bars_expected: 10, bars_observed: 9, bars_carried: 1, ratio: 1 },
      longestHalt: 1,
      closingHalt: 0,
    });
  });

  test('are counted in runs', () => {
    expect(daysWithout(1, 2, 5, 6, 7)).toMatchObject({ longestHalt: 3, closingHalt: 0 });
    expect(daysWithout(1, 8, 9)).toMatchObject({ longestHalt: 2, closingHalt: 2 });
  });

  test('are carried for five days each', () => {
    const { coverage } = daysWithout(2, 3, 4, 5, 6, 7, 8);
    expect(coverage).toEqual({ bars_expected: 10, bars_observed: 3, bars_carried: 5, ratio: 0.8 });
  });
});

describe('coverage', () => {
  test('of real minutes over lunch and night is whole', () => {
    const { coverage } = observe(china, series(pufaBars('1m'), '1m'), at('2024-06-17T03:00Z'), at('2024-06-18T02:00Z'));
    expect(coverage).toEqual({ bars_expected: 30 + 120 + 30, bars_observed: 180, bars_carried: 0, ratio: 1 });
  });

  test('is at most whole where a source cuts its hours elsewhere', () => {
    const [open, close] = [at('2024-03-06T14:30Z'), at('2024-03-06T21:00Z')];
    const flat = { open: 1, high: 1, low: 1, close: 1, volume: 1, split: 1, total: 1 };
    const halves = Array.from({ length: 13 }, (_, i) => {
      return { ...flat, start: open + (i * HOUR) / 2, end: open + ((i + 1) * HOUR) / 2 };
    });
    const { coverage } = observe(calendarOf(SPX), series(halves, '1h'), open, close);
    expect(coverage).toEqual({ bars_expected: 7, bars_observed: 13, bars_carried: 0, ratio: 1 });
  });

  test('loses what was dropped from what was missing, and no more', () => {
    const bars = pufaBars('1m').filter((_, i) => i % 2 === 0);
    const dropping = (dropped: number) => {
      const span = [at('2024-06-17T01:30Z'), at('2024-06-17T01:30Z') + 20 * MINUTE] as const;
      return observe(china, series(bars, '1m', dropped), ...span).coverage;
    };
    expect([dropping(0).ratio, dropping(4).ratio, dropping(400).ratio]).toEqual([1, 0.8, 0.5]);
  });

  test('of nothing expected is whole', () => {
    const t = at('2024-03-09T12:00Z');
    expect(observe(crypto, series([], '1m'), t, t + 1).coverage.ratio).toBe(1);
  });
});
