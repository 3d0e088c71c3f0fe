import { describe, expect, test } from '@jest/globals';
import { clipToSessions, soundBars } from '../../../domain/market/bar-inspection.ts';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import { rfc3339 } from '../../../domain/time.ts';
import { at, BTC, PUFA, SPX } from './real-bars.ts';

const good = { start: 0, end: 60_000, open: 10, high: 12, low: 9, close: 11 };

function span(from: string, to: string) {
  return { ...good, start: at(from), end: at(to) };
}

function clipped(instrument: typeof SPX, from: string, to: string): string[] {
  const bars = clipToSessions(calendarOf(instrument), [span(from, to)]);
  return bars.flatMap(({ start, end }) => [rfc3339(start).slice(0, 16), rfc3339(end).slice(0, 16)]);
}

describe('sound bars', () => {
  test.each([
    ['a high below the open', { high: 9.5 }],
    ['a high below the close', { high: 10.5 }],
    ['a low above the open', { low: 10.5 }],
    ['a low above the close', { close: 8.5 }],
    ['a price of 0', { low: 0 }],
    ['a negative price', { low: -1 }],
    ['no number', { close: Number.NaN }],
    ['no number for a high', { high: Number.NaN }],
    ['an infinite high', { high: Number.POSITIVE_INFINITY }],
    ['an end before its start', { end: -1 }],
  ])('leave out %s, counted', (_, wrong) => {
    expect(soundBars([good, { ...good, ...wrong }])).toEqual({ bars: [good], dropped: 1 });
  });

  test('keep a bar whose prices are all equal', () => {
    const flat = { ...good, open: 9, high: 9, close: 9 };
    expect(soundBars([flat])).toEqual({ bars: [flat], dropped: 0 });
  });
});

describe('bars are cut to sessions', () => {
  test('a day to its session', () => {
    expect(clipped(SPX, '2024-07-03', '2024-07-04')).toEqual(['2024-07-03T13:30', '2024-07-03T17:00']);
  });

  test('a day with lunch to the whole session', () => {
    expect(clipped(PUFA, '2024-06-17T00:00Z', '2024-06-18T00:00Z')).toEqual(['2024-06-17T01:30', '2024-06-17T07:00']);
  });

  test('the hour around the open and the one before lunch', () => {
    expect(clipped(SPX, '2024-03-06T14:00Z', '2024-03-06T15:00Z')).toEqual(['2024-03-06T14:30', '2024-03-06T15:00']);
    expect(clipped(PUFA, '2024-06-17T03:00Z', '2024-06-17T04:00Z')).toEqual(['2024-06-17T03:00', '2024-06-17T03:30']);
  });

  test.each([
    ['before the open', SPX, '2024-03-06T13:00Z', '2024-03-06T14:30Z'],
    ['after the close', SPX, '2024-03-06T21:00Z', '2024-03-06T22:00Z'],
    ['at lunch', PUFA, '2024-06-17T03:30Z', '2024-06-17T05:00Z'],
    ['on a Saturday', SPX, '2024-03-09T14:30Z', '2024-03-09T15:30Z'],
  ] as const)('nothing remains of one %s', (_, instrument, from, to) => {
    expect(clipped(instrument, from, to)).toEqual([]);
  });

  test('crypto stays whole', () => {
    expect(clipped(BTC, '2024-03-09', '2024-03-10')).toEqual(['2024-03-09T00:00', '2024-03-10T00:00']);
  });
});
