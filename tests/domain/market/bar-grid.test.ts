import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BAR_SIZES, barsWithin, firstEvent, isResolved, lastEvent } from '../../../domain/market/bars.ts';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import { DAY, rfc3339 } from '../../../domain/time.ts';
import { at, BTC, PUFA, pufaBars, SPX } from './real-bars.ts';

const [us, china, crypto] = [calendarOf(SPX), calendarOf(PUFA), calendarOf(BTC)];
const whole = (calendar: typeof us, date: string) => calendar.currentOrNext(at(date));

describe('a session has', () => {
  test.each([
    ['New York', us, '2024-03-06', [390, 78, 7, 1]],
    ['New York before a holiday', us, '2024-07-03', [210, 42, 4, 1]],
    ['Shanghai with its lunch', china, '2024-06-17', [240, 48, 4, 1]],
    ['a day of crypto', crypto, '2024-03-09', [1440, 288, 24, 1]],
  ] as const)('%s', (_, calendar, date, counts) => {
    const session = whole(calendar, date);
    expect(BAR_SIZES.map((size) => barsWithin(session, size, session.open, session.close))).toEqual(counts);
  });

  test('only the bars that are entirely within a span', () => {
    const session = whole(us, '2024-03-06');
    expect(barsWithin(session, '5m', session.open + 1, session.close - 1)).toBe(76);
    expect(barsWithin(session, '1h', session.open, session.close - 1)).toBe(6);
  });
});

describe('events', () => {
  test.each([
    ['at the close itself', china, '1m', '2024-06-17T03:30Z', '2024-06-17T03:30Z', '2024-06-17T03:30Z'],
    ['at the close of a day', us, '5m', '2024-03-06T21:00Z', '2024-03-06T21:00Z', '2024-03-06T21:00Z'],
    ['at lunch', china, '1m', '2024-06-17T04:00Z', '2024-06-17T05:00Z', '2024-06-17T03:30Z'],
    ['at lunch, of a daily bar', china, '1d', '2024-06-17T04:00Z', '2024-06-17T07:00Z', '2024-06-17T01:30Z'],
    ['over a weekend', us, '1d', '2024-03-09T12:00Z', '2024-03-11T13:30Z', '2024-03-08T21:00Z'],
    ['in the last, short hour', us, '1h', '2024-03-06T20:40Z', '2024-03-06T21:00Z', '2024-03-06T20:30Z'],
    ['within a day of crypto', crypto, '1h', '2024-03-09T12:00:01Z', '2024-03-09T13:00Z', '2024-03-09T12:00Z'],
  ] as const)('%s', (_, calendar, size, instant, next, last) => {
    expect(rfc3339(firstEvent(calendar, size, at(instant)))).toBe(rfc3339(at(next)));
    expect(rfc3339(lastEvent(calendar, size, at(instant)))).toBe(rfc3339(at(last)));
  });

  test('the last one and the next one enclose every instant, nothing between them', () => {
    const anyTime = fc.integer({ min: at('2023-01-01'), max: at('2026-01-01') });
    fc.assert(
      fc.property(fc.constantFrom(us, china, crypto), fc.constantFrom(...BAR_SIZES), anyTime, (calendar, size, t) => {
        const [last, next] = [lastEvent(calendar, size, t), firstEvent(calendar, size, t)];
        if (last === t || next === t) expect([last, next]).toEqual([t, t]);
        else
          expect([last < t, firstEvent(calendar, size, last + 1), lastEvent(calendar, size, next - 1)]).toEqual([
            true,
            next,
            last,
          ]);
      }),
    );
  });

  test('match the real minutes', () => {
    for (const { start, end } of pufaBars('1m').slice(0, 500)) {
      expect([firstEvent(china, '1m', start), lastEvent(china, '1m', end)]).toEqual([start, end]);
    }
  });
});

describe('a window is resolved', () => {
  test('by daily bars when a session lies between its events', () => {
    expect(isResolved(us, '1d', at('2024-03-06T14:30Z'), at('2024-03-06T21:00Z'))).toBe(true);
    expect(isResolved(us, '1d', at('2024-03-06T14:31Z'), at('2024-03-06T21:00Z'))).toBe(false);
  });

  test('not by a close and the open after it, between which nothing trades', () => {
    expect(isResolved(us, '1d', at('2024-03-08T15:00Z'), at('2024-03-11T15:00Z'))).toBe(false);
  });

  test('by crypto minutes from two minutes on', () => {
    const t = at('2024-03-09T10:00:30Z');
    expect(isResolved(crypto, '1m', t, t + 120_000)).toBe(true);
    expect(isResolved(crypto, '1d', t, t + DAY)).toBe(false);
  });
});
