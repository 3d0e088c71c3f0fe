import { describe, expect, test } from '@jest/globals';
import { listingEnd, settlesAt } from '../../../../domain/grading/windows/settling.ts';
import { calendarOf } from '../../../../domain/market/calendars/by-venue.ts';
import { rfc3339 } from '../../../../domain/time.ts';
import { at, BTC, PUFA, SPX } from '../../market/real-bars.ts';

describe('a window settles', () => {
  test.each([
    [
      'crypto one bar and two minutes after its end',
      BTC,
      '2024-03-09T10:00:30Z',
      '1m',
      'continuous',
      '2024-03-09T10:03:30.000Z',
    ],
    ['crypto on daily bars a day later', BTC, '2024-03-09', '1d', 'continuous', '2024-03-10T00:02:00.000Z'],
    [
      'a stock half an hour after the close it ends with',
      SPX,
      '2024-03-06T21:00Z',
      '5m',
      'continuous',
      '2024-03-06T21:30:00.000Z',
    ],
    [
      'a stock half an hour after the close of the session it ends in',
      SPX,
      '2024-03-06T16:00Z',
      '1m',
      'continuous',
      '2024-03-06T21:30:00.000Z',
    ],
    ['a stock at an open after that session', SPX, '2024-03-06T14:30Z', '1d', 'continuous', '2024-03-06T21:30:00.000Z'],
    ['end-of-day crypto at midnight', BTC, '2024-03-10', '1d', 'end_of_day', '2024-03-10T06:00:00.000Z'],
    ['a stock at lunch after the afternoon', PUFA, '2024-06-17T04:00Z', '1m', 'continuous', '2024-06-17T07:30:00.000Z'],
    [
      'a stock on a weekend half an hour after its end',
      SPX,
      '2024-03-09T16:00Z',
      '1h',
      'continuous',
      '2024-03-09T16:30:00.000Z',
    ],
    ['an early close half an hour after it', SPX, '2024-07-03T15:00Z', '1m', 'continuous', '2024-07-03T17:30:00.000Z'],
    [
      'end-of-day stocks six hours after the close',
      SPX,
      '2024-03-06T16:00Z',
      '1d',
      'end_of_day',
      '2024-03-07T03:00:00.000Z',
    ],
    [
      'end-of-day crypto six hours after its day',
      BTC,
      '2024-03-09T10:00Z',
      '1d',
      'end_of_day',
      '2024-03-10T06:00:00.000Z',
    ],
  ] as const)('%s', (_, instrument, end, bar_size, cadence, settled) => {
    expect(rfc3339(settlesAt(instrument, { end_time: at(end), bar_size, cadence }))).toBe(settled);
  });
});

describe('a stock off its list since Thursday morning', () => {
  const calendar = calendarOf({ market: 'stock', venue: 'NASDAQ' });
  const since = Date.parse('2026-03-05T12:00:00Z');
  const close = (date: string) => calendar.onDate(date)?.close ?? 0;
  const end = (last: string, end_time: string, now: string, stated = false) => {
    const prints = { last_print: close(last), end_time: Date.parse(end_time) };
    return listingEnd(calendar, { since, stated }, prints, Date.parse(now));
  };
  const FRIDAY = '2026-03-06T21:00:00Z';

  test('ends at its last print from the close of the fifth session on', () => {
    const waits_until = Date.parse('2026-03-11T20:00:00Z');
    expect(end('2026-03-04', FRIDAY, '2026-03-11T19:59:59Z')).toEqual({ waits_until });
    expect(end('2026-03-04', FRIDAY, '2026-03-11T20:00:00Z')).toEqual({ delisted_at: close('2026-03-04') });
  });

  test('ends at once where that is stated of a time within the window, and as by the lists after it', () => {
    expect(end('2026-03-04', FRIDAY, FRIDAY, true)).toEqual({ delisted_at: close('2026-03-04') });
    expect(end('2026-03-03', '2026-03-04T21:00:00Z', FRIDAY, true)).toHaveProperty('waits_until');
  });

  test('ends no window with a price in its last session, also one that ends on the weekend', () => {
    expect(end('2026-03-04', '2026-03-04T21:00:00Z', FRIDAY)).toBeNull();
    expect(end('2026-02-27', '2026-03-01T12:00:00Z', '2026-03-20T12:00:00Z')).toBeNull();
  });

  test('ends nothing where it has prices later: after the session of the list, or of the statement', () => {
    const by = (last: string, stated: boolean) => end(last, '2026-03-09T20:00:00Z', '2026-03-20T12:00:00Z', stated);
    expect([by('2026-03-05', false), by('2026-03-06', false)]).toEqual([{ delisted_at: close('2026-03-05') }, null]);
    expect([by('2026-03-04', true), by('2026-03-05', true)]).toEqual([{ delisted_at: close('2026-03-04') }, null]);
  });
});
