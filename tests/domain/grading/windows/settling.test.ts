import { describe, expect, test } from '@jest/globals';
import { settlesAt } from '../../../../domain/grading/windows/settling.ts';
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
