import { describe, expect, test } from '@jest/globals';
import { inspectBars } from '../../../domain/market/bar-inspection.ts';
import type { RawBar } from '../../../domain/market/bars.ts';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import { DAY, HOUR, MINUTE } from '../../../domain/time.ts';

const NYSE = calendarOf({ market: 'stock', venue: 'NYSE' });
const CRYPTO = calendarOf({ market: 'crypto', venue: 'KRAKEN' });
const NEVER = Date.UTC(2100, 0, 1);

function bar(start: number, length: number, price = 10, changes: Partial<RawBar> = {}): RawBar {
  const prices = { open: price, high: price, low: price, close: price };
  return { start, end: start + length, ...prices, volume: 1, adj_close: null, ...changes };
}

/** A daily bar of each session from Monday, 2 February 2026. */
function days(...prices: readonly number[]): readonly RawBar[] {
  return prices.map((price, index) => {
    const { open, close } = NYSE.nthFrom(Date.UTC(2026, 1, 2), index + 1);
    return bar(open, close - open, price);
  });
}

const at = (index: number) => NYSE.nthFrom(Date.UTC(2026, 1, 2), index + 1).open;

describe('usable bars', () => {
  test('are in the order of time; of two rows with one start the later counts', () => {
    const [one, two] = [bar(0, MINUTE, 1), bar(MINUTE, MINUTE, 2)];
    const found = inspectBars([two, bar(0, MINUTE, 9), one], '1m', CRYPTO, NEVER);
    expect(found).toMatchObject({ bars: [one, two], duplicates: 1, missing: 0 });
  });

  test('are without the overlapping, the unsound and the unfinished', () => {
    const rows = [
      bar(0, MINUTE),
      bar(MINUTE / 2, MINUTE),
      bar(2 * MINUTE, MINUTE, 10, { high: 9 }),
      bar(3 * MINUTE, MINUTE, Number.NaN),
      bar(4 * MINUTE, MINUTE),
      bar(5 * MINUTE, MINUTE),
    ];
    const found = inspectBars(rows, '1m', CRYPTO, 5 * MINUTE);
    expect(found.bars).toEqual([rows[0], rows[4]]);
    expect(found).toMatchObject({ overlapping: 1, unsound: 2, unfinished: 1, duplicates: 0, expected: 5, missing: 3 });
  });

  test('may be none', () => {
    const found = inspectBars([], '1d', NYSE, NEVER);
    expect(found).toMatchObject({ bars: [], expected: 0, missing: 0, empty_sessions: [] });
  });
});

describe('against the calendar', () => {
  test('sessions without a bar are named, weekends are none', () => {
    const [monday, , , thursday, , nextMonday] = days(1, 1, 1, 1, 1, 1) as RawBar[];
    const found = inspectBars([monday, thursday, nextMonday] as RawBar[], '1d', NYSE, NEVER);
    expect(found).toMatchObject({ expected: 6, missing: 3 });
    expect(found.empty_sessions).toEqual(['2026-02-03', '2026-02-04', '2026-02-06']);
  });

  test('a session with some of its bars lacks the others and is not empty', () => {
    const rows = [bar(at(0), HOUR), bar(at(1), HOUR)];
    const found = inspectBars(rows, '1h', NYSE, NEVER);
    expect(found).toMatchObject({ expected: 8, missing: 6, empty_sessions: [] });
  });

  test('days of a market that never stops count in UTC', () => {
    const found = inspectBars([bar(0, DAY), bar(3 * DAY, DAY)], '1d', CRYPTO, NEVER);
    expect(found).toMatchObject({ expected: 4, missing: 2, empty_sessions: ['1970-01-02', '1970-01-03'] });
  });

  test('sessions of years with unknown holidays are counted', () => {
    const generic = calendarOf({ market: 'stock', venue: 'MARS' });
    const { open, close } = generic.nthFrom(Date.UTC(2026, 1, 2), 1);
    expect(inspectBars([bar(open, close - open)], '1d', generic, NEVER).generic_sessions).toBe(1);
    expect(inspectBars(days(1), '1d', NYSE, NEVER).generic_sessions).toBe(0);
  });
});
