import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { tauOf } from '../../../../domain/grading/paths/path.ts';
import { neighbours, nightShare, tauWithNights } from '../../../../domain/grading/paths/volatility.ts';
import { calendarOf } from '../../../../domain/market/calendars/by-venue.ts';
import { DAY } from '../../../../domain/time.ts';
import { amchartsBars, at, BTC, cryptoDays, MSFT, PUFA } from '../../market/real-bars.ts';

const [us, china, crypto] = [calendarOf(MSFT), calendarOf(PUFA), calendarOf(BTC)];

describe('the share of nights', () => {
  test('is that of their squares', () => {
    const [first, second] = amchartsBars('MSFT').slice(-2);
    if (!first || !second) throw new Error('There are no bars');
    const pairs = [{ before: { ...first, close: 100, total: 1 }, bar: { ...second, open: 103, close: 99, total: 1 } }];
    const [night, day] = [Math.log(1.03) ** 2, Math.log(99 / 103) ** 2];
    expect(nightShare(us, pairs)).toBeCloseTo(night / (night + day), 12);
  });

  test('is blind to splits and dividends', () => {
    const bars = amchartsBars('MSFT').filter(({ start }) => start > at('2003-02-10') && start < at('2003-02-25'));
    expect(nightShare(us, neighbours(us, bars))).toBeLessThan(0.6);
    expect(
      nightShare(
        us,
        neighbours(
          us,
          bars.map((bar) => ({ ...bar, total: 1 })),
        ),
      ),
    ).toBeGreaterThan(0.95);
  });

  test('is unknown when no price moved, and there is none where trading never stops', () => {
    const flat = amchartsBars('MSFT')
      .slice(-9)
      .map((bar) => ({ ...bar, open: 100, close: 100, total: 1 }));
    expect(nightShare(us, neighbours(us, flat))).toBeNull();
    expect(nightShare(crypto, neighbours(crypto, cryptoDays(at('2024-03-09'), [1, 2, 3])))).toBeNull();
  });
});

describe('tau', () => {
  const omega = 0.3;

  test.each([
    ['a session from open to close', '2024-07-01T13:30Z', '2024-07-01T20:00Z', 0.7],
    ['two sessions from an open', '2024-07-01T13:30Z', '2024-07-02T20:00Z', 1.7],
    ['an early close, which is one session', '2024-07-02T20:00Z', '2024-07-03T17:00Z', 1],
    ['a weekend, which is one night', '2024-07-12T20:00Z', '2024-07-15T20:00Z', 1],
    ['a night up to the open', '2024-07-01T20:00Z', '2024-07-02T13:30Z', 0],
    ['a night and a moment', '2024-07-01T20:00Z', '2024-07-02T13:30:00.001Z', 0.3],
  ])('of %s', (_, from, to, expected) => {
    expect(tauWithNights(us, omega, at(from), at(to))).toBeCloseTo(expected, 6);
  });

  test('gives lunch no weight', () => {
    expect(tauWithNights(china, omega, at('2024-06-17T03:00Z'), at('2024-06-17T05:30Z'))).toBeCloseTo(0.175, 12);
  });

  test('of N sessions from an open is N - omega, and without nights it is that of eval/1', () => {
    const anyTime = fc.integer({ min: at('2001-01-01'), max: at('2026-01-01') });
    const share = fc.double({ min: 0, max: 0.99, noNaN: true });
    fc.assert(
      fc.property(
        fc.constantFrom(us, china),
        anyTime,
        fc.integer({ min: 1, max: 60 }),
        share,
        (calendar, t, n, night) => {
          const [open, close] = [calendar.nthFrom(t, 1).open, calendar.nthFrom(t, n).close];
          expect(tauWithNights(calendar, night, open, close)).toBeCloseTo(n - night, 9);
          expect(tauWithNights(calendar, null, t, t + n * DAY)).toBe(tauOf(calendar, t, t + n * DAY));
        },
      ),
    );
  });
});
