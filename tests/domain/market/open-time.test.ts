import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import { lastInstantWithin, openTime, openTimeFallsBelow } from '../../../domain/market/open-time.ts';
import { DAY, HOUR, MINUTE } from '../../../domain/time.ts';
import { at, BTC, PUFA, SPX } from './real-bars.ts';

const us = calendarOf(SPX);
const china = calendarOf(PUFA);
const anyCalendar = fc.constantFrom(us, china, calendarOf(BTC));
const instant = fc.integer({ min: at('2022-01-01'), max: at('2026-06-01') });
const span = fc.integer({ min: 0, max: 20 * DAY });

describe('open time', () => {
  test('a weekend adds nothing', () => {
    expect(openTime(us, at('2024-03-08T20:00Z'), at('2024-03-11T14:00Z'))).toBe(HOUR + 30 * MINUTE);
  });

  test('lunch adds nothing', () => {
    expect(openTime(china, at('2024-06-17T03:00Z'), at('2024-06-17T05:10Z'))).toBe(40 * MINUTE);
  });

  test('a span that ends before its beginning has none', () => {
    expect(openTime(us, at('2024-03-08T20:00Z'), at('2024-03-08T19:00Z'))).toBe(0);
  });

  test('spans add up', () => {
    fc.assert(
      fc.property(anyCalendar, instant, span, span, (calendar, t, a, b) => {
        const whole = openTime(calendar, t, t + a + b);
        expect(openTime(calendar, t, t + a) + openTime(calendar, t + a, t + a + b)).toBe(whole);
      }),
    );
  });
});

describe('the last instant within a budget', () => {
  test('a budget used up at a close lasts until the next open', () => {
    const open = at('2024-03-08T14:30Z');
    expect(lastInstantWithin(us, open, 6.5 * HOUR)).toBe(at('2024-03-11T13:30Z'));
    expect(lastInstantWithin(china, at('2024-06-17T01:30Z'), 2 * HOUR)).toBe(at('2024-06-17T05:00Z'));
  });

  test('holds the budget, and a millisecond later more', () => {
    fc.assert(
      fc.property(anyCalendar, instant, fc.integer({ min: 0, max: 3 * DAY }), (calendar, t, budget) => {
        const last = lastInstantWithin(calendar, t, budget);
        expect(openTime(calendar, t, last)).toBe(budget);
        expect(openTime(calendar, t, last + 1)).toBe(budget + 1);
      }),
    );
  });
});

describe('when a moving span holds too little', () => {
  test('is the first such instant', () => {
    fc.assert(
      fc.property(
        anyCalendar,
        instant,
        fc.integer({ min: MINUTE, max: 3 * DAY }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 12 * HOUR }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (calendar, t, length, share, ahead, where) => {
          const needed = Math.floor(openTime(calendar, t, t + length) * share);
          const limit = t + ahead;
          const falls = openTimeFallsBelow(calendar, { at: t, span: length, needed, limit });
          const holds = (instant: number) => openTime(calendar, instant, instant + length) >= needed;
          expect(falls).toBeGreaterThan(t);
          expect(falls).toBeLessThanOrEqual(limit);
          expect(holds(falls - 1)).toBe(true);
          expect(holds(t + Math.floor((falls - 1 - t) * where))).toBe(true);
          if (falls < limit) expect(holds(falls)).toBe(false);
        },
      ),
      { numRuns: 500 },
    );
  });
});
