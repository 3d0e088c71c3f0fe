import { describe, expect, test } from '@jest/globals';
import type { Candle } from '../../../../adapters/market/candles.ts';
import { sessionBars, spansWithin } from '../../../../adapters/market/stocks/stock-history.ts';
import type { BarSize } from '../../../../domain/market/bars.ts';
import { calendarOf } from '../../../../domain/market/calendars/by-venue.ts';
import { DAY, HOUR, MINUTE, type Millis } from '../../../../domain/time.ts';

const US = calendarOf({ market: 'stock', venue: 'NYSE' });
const SHANGHAI = calendarOf({ market: 'stock', venue: 'SSE' });
const HALF = 30 * MINUTE;

const candle = (start: Millis, close = 10, volume = 5): Candle => ({ start, open: 9, high: 12, low: 8, close, volume });
const terms = (size: BarSize, step: Millis, volumeIsKnown = true) => ({ size, step, volumeIsKnown });
const halves = (from: Millis, count: number) =>
  Array.from({ length: count }, (_, i) => candle(from + i * HALF, 9 + i / 100));

test('hours from half hours end at an early close, the last of them short', () => {
  const open = Date.UTC(2025, 10, 28, 14, 30);
  const { bars } = sessionBars(US, terms('1h', HALF), halves(open - 2 * HOUR, 20));
  expect(bars.map(({ start, end }) => [(start - open) / HOUR, (end - open) / HOUR])).toEqual([
    [0, 1],
    [1, 2],
    [2, 3],
    [3, 3.5],
  ]);
});

test('an hour is its halves: the first open, the last close, the widest range, all that was traded', () => {
  const open = Date.UTC(2026, 1, 27, 14, 30);
  const two = [
    { start: open + HALF, open: 11, high: 14, low: 10, close: 13, volume: 2 },
    { start: open, open: 10, high: 12, low: 7, close: 11, volume: 1 },
  ];
  expect(sessionBars(US, terms('1h', HALF), two).bars).toEqual([
    { start: open, end: open + HOUR, open: 10, high: 14, low: 7, close: 13, volume: 3 },
  ]);
});

describe('a half hour without trades', () => {
  const open = Date.UTC(2026, 1, 27, 14, 30);
  const silent = (start: Millis) => ({ start, open: 10, high: 10, low: 10, close: 10, volume: 0 });
  const trades = (start: Millis) => ({ start, open: 9, high: 9.5, low: 8, close: 8.5, volume: 3 });
  const hours = (candles: readonly Candle[], volumeIsKnown: boolean) =>
    sessionBars(US, terms('1h', HALF, volumeIsKnown), candles).bars;

  test.each([
    ['before', [silent(open), trades(open + HALF)]],
    ['after', [trades(open), silent(open + HALF)]],
  ])('is no part of the hour with trades %s it', (_, candles) => {
    const { start: _start, ...prices } = trades(open);
    expect(hours(candles, true)).toEqual([{ start: open, end: open + HOUR, ...prices }]);
  });

  test('is a part of it where the volume is unknown', () => {
    const unknown = [silent(open), { ...trades(open + HALF), volume: 0 }];
    expect(hours(unknown, false)).toMatchObject([{ open: 10, high: 10, low: 8, close: 8.5, volume: 0 }]);
    // A volume of 0 with a range is unknown, and counts as traded.
    expect(hours(unknown, true)).toMatchObject([{ open: 9, high: 9.5, low: 8, close: 8.5, volume: 0 }]);
  });

  test('makes with another one an hour without trades', () => {
    expect(hours([silent(open), silent(open + HALF)], true)).toMatchObject([
      { open: 10, high: 10, low: 10, volume: 0 },
    ]);
  });
});

test('hours do not reach over a lunch break', () => {
  const open = Date.UTC(2024, 5, 17, 1, 30);
  const { bars } = sessionBars(SHANGHAI, terms('1h', HALF), halves(open, 12));
  expect(bars.map(({ start, end }) => [(start - open) / HOUR, (end - open) / HOUR])).toEqual([
    [0, 1],
    [1, 2],
    [3.5, 4.5],
    [4.5, 5.5],
  ]);
});

test('a day is found from midnight, from its open and from its last trade', () => {
  const [midnight, open] = [Date.UTC(2026, 1, 27, 5), Date.UTC(2026, 1, 27, 14, 30)];
  for (const start of [midnight, open, open + 6.5 * HOUR + 1_000]) {
    expect(sessionBars(US, terms('1d', DAY), [candle(start)]).bars).toMatchObject([
      { start: open, end: open + 6.5 * HOUR },
    ]);
  }
  const saturday = midnight + DAY;
  expect(sessionBars(US, terms('1d', DAY), [candle(saturday)]).bars).toEqual([]);
});

test('of two candles for one instant the one sent last counts, and what begins between two steps is left out', () => {
  const open = Date.UTC(2026, 1, 27, 14, 30);
  const { bars, lost } = sessionBars(US, terms('1m', MINUTE), [
    candle(open, 10),
    candle(open, 11),
    candle(open + 1_000, 12),
  ]);
  expect(bars).toMatchObject([{ start: open, close: 11 }]);
  expect(lost).toEqual([]);
});

test('one price that cannot be read loses the whole bar, and a volume that cannot only the volume', () => {
  const open = Date.UTC(2026, 1, 27, 14, 30);
  const broken = [candle(open), { ...candle(open + HALF), high: Number.NaN }];
  const { bars, lost } = sessionBars(US, terms('1h', HALF), [...broken, candle(open + HOUR, 10, Number.NaN)]);
  expect(bars).toMatchObject([{ start: open + HOUR, volume: null }]);
  expect(spansWithin(lost, open, open + HOUR)).toHaveLength(1);
  expect(spansWithin(lost, open + 1, open + HOUR)).toEqual([]);
});
