import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { entryEvent, exitEvent, tauOf } from '../../../../domain/grading/paths/path.ts';
import { calendarOf } from '../../../../domain/market/calendars/by-venue.ts';
import { DAY, HOUR, MINUTE } from '../../../../domain/time.ts';
import { at, BTC, PUFA, SPX } from '../../market/real-bars.ts';

const [us, china, crypto] = [calendarOf(SPX), calendarOf(PUFA), calendarOf(BTC)];
const t0 = at('2024-03-06T15:00Z');

/** Bars of one minute at the given minutes, each opening at 10 x its minute and closing 5 above. */
function minutes(...starts: number[]) {
  return starts.map((minute) => ({
    start: t0 + minute * MINUTE,
    end: t0 + (minute + 1) * MINUTE,
    open: 10 * minute,
    high: 10 * minute + 5,
    low: 10 * minute,
    close: 10 * minute + 5,
    volume: 1,
    split: 1,
    total: 1,
  }));
}

const minute = (count: number) => t0 + count * MINUTE;

describe('entry and exit', () => {
  test.each([
    ['at a start', 1, [1, 10]],
    ['where a close and an open meet, the open', 2, [2, 20]],
    ['within a bar that the next one joins, its open', 1.5, [2, 20]],
    ['within a bar before a gap, its close', 2.5, [3, 25]],
    ['at a close before a gap, that close', 3, [3, 25]],
    ['in a gap, the next open', 4, [6, 60]],
  ])('entry %s', (_, at, [ts = 0, price]) => {
    expect(entryEvent(minutes(1, 2, 6), minute(at))).toMatchObject({ ts: minute(ts), price });
  });

  test.each([
    ['at an end', 3, [3, 25]],
    ['where a close and an open meet, the close', 2, [2, 15]],
    ['within a bar that joins the one before, that one’s close', 2.5, [2, 15]],
    ['within a bar after a gap, its open', 6.5, [6, 60]],
    ['in a gap, the last close', 5, [3, 25]],
  ])('exit %s', (_, at, [ts = 0, price]) => {
    expect(exitEvent(minutes(1, 2, 6), minute(at))).toMatchObject({ ts: minute(ts), price });
  });

  test('there is no entry after the last bar and no exit before the first', () => {
    expect(entryEvent(minutes(1), minute(2.1))).toBeNull();
    expect(exitEvent(minutes(1), minute(0.9))).toBeNull();
  });
});

describe('tau', () => {
  test('counts an early close as one whole session', () => {
    expect(tauOf(us, at('2024-07-02T20:00Z'), at('2024-07-03T17:00Z'))).toBe(1);
  });

  test('is unmoved by a change of the clocks', () => {
    expect(tauOf(us, at('2024-03-08T14:30Z'), at('2024-03-11T20:00Z'))).toBe(2);
  });

  test('gives lunch no weight', () => {
    expect(tauOf(china, at('2024-06-17T03:00Z'), at('2024-06-17T05:30Z'))).toBe(0.25);
  });

  test('counts days where trading never stops', () => {
    expect(tauOf(crypto, t0, t0 + 36 * HOUR)).toBe(1.5);
  });

  test('of N full sessions from an open is N', () => {
    const anyTime = fc.integer({ min: at('2001-01-01'), max: at('2026-01-01') });
    fc.assert(
      fc.property(fc.constantFrom(us, china, crypto), anyTime, fc.integer({ min: 1, max: 252 }), (calendar, t, n) => {
        expect(tauOf(calendar, calendar.nthFrom(t, 1).open, calendar.nthFrom(t, n).close)).toBeCloseTo(n, 9);
      }),
    );
  });

  test('adds up, and no hour buys more than its session', () => {
    const anyTime = fc.integer({ min: at('2020-01-01'), max: at('2026-01-01') });
    const span = fc.integer({ min: 0, max: 9 * DAY });
    fc.assert(
      fc.property(fc.constantFrom(us, china, crypto), anyTime, span, span, (calendar, t, a, b) => {
        const parts = tauOf(calendar, t, t + a) + tauOf(calendar, t + a, t + a + b);
        expect(parts).toBeCloseTo(tauOf(calendar, t, t + a + b), 9);
        expect(tauOf(calendar, t, t + a)).toBeLessThanOrEqual(Math.ceil(a / DAY) + 1);
      }),
    );
  });
});
