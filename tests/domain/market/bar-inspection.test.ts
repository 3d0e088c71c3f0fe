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
    const found = inspectBars([two, bar(0, MINUTE, 9), one], '1m', CRYPTO, [], NEVER);
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
    const found = inspectBars(rows, '1m', CRYPTO, [], 5 * MINUTE);
    expect(found.bars).toEqual([rows[0], rows[4]]);
    expect(found).toMatchObject({ overlapping: 1, unsound: 2, unfinished: 1, duplicates: 0, expected: 5, missing: 3 });
  });

  test('may be none', () => {
    const found = inspectBars([], '1d', NYSE, [], NEVER);
    expect(found).toMatchObject({ bars: [], expected: 0, missing: 0, empty_sessions: [], likely_splits: [] });
  });
});

describe('against the calendar', () => {
  test('sessions without a bar are named, weekends are none', () => {
    const [monday, , , thursday, , nextMonday] = days(1, 1, 1, 1, 1, 1) as RawBar[];
    const found = inspectBars([monday, thursday, nextMonday] as RawBar[], '1d', NYSE, [], NEVER);
    expect(found).toMatchObject({ expected: 6, missing: 3 });
    expect(found.empty_sessions).toEqual(['2026-02-03', '2026-02-04', '2026-02-06']);
  });

  test('a session with some of its bars lacks the others and is not empty', () => {
    const rows = [bar(at(0), HOUR), bar(at(1), HOUR)];
    const found = inspectBars(rows, '1h', NYSE, [], NEVER);
    expect(found).toMatchObject({ expected: 8, missing: 6, empty_sessions: [] });
  });

  test('days of a market that never stops count in UTC', () => {
    const found = inspectBars([bar(0, DAY), bar(3 * DAY, DAY)], '1d', CRYPTO, [], NEVER);
    expect(found).toMatchObject({ expected: 4, missing: 2, empty_sessions: ['1970-01-02', '1970-01-03'] });
  });

  test('sessions of years with unknown holidays are counted', () => {
    const generic = calendarOf({ market: 'stock', venue: 'MARS' });
    const { open, close } = generic.nthFrom(Date.UTC(2026, 1, 2), 1);
    expect(inspectBars([bar(open, close - open)], '1d', generic, [], NEVER).generic_sessions).toBe(1);
    expect(inspectBars(days(1), '1d', NYSE, [], NEVER).generic_sessions).toBe(0);
  });
});

describe('splits', () => {
  const found = (rows: readonly RawBar[], ...actions: Parameters<typeof inspectBars>[3]) =>
    inspectBars(rows, '1d', NYSE, actions, NEVER).likely_splits;

  test.each([
    [[48.3, 24.9], 2],
    [[100, 25], 4],
    [[10, 98], 0.1],
  ])('a leap such as %j looks like a split of %d', (prices, ratio) => {
    expect(found(days(...prices))).toEqual([{ at: new Date(at(1)).toISOString(), ratio, in_adj_close: false }]);
  });

  test('a crash is no split, nor are the days around it', () => {
    expect(found(days(100, 77, 80, 95, 70))).toEqual([]);
  });

  test('an action of the same ratio and day explains a split; any other action does not', () => {
    const rows = days(100, 50, 50);
    expect(found(rows, { at: at(1), kind: 'split', value: 2 })).toEqual([]);
    expect(found(rows, { at: at(1), kind: 'split', value: 3 })).toHaveLength(1);
    expect(found(rows, { at: at(2), kind: 'split', value: 2 })).toHaveLength(1);
    expect(found(rows, { at: at(1), kind: 'dividend', value: 50 })).toHaveLength(1);
  });

  test('it is noted when the adjusted closes account for the split', () => {
    const [before, after] = days(100, 50) as [RawBar, RawBar];
    const adjusted = [
      { ...before, adj_close: 50 },
      { ...after, adj_close: 50 },
    ];
    expect(found(adjusted)).toMatchObject([{ ratio: 2, in_adj_close: true }]);
    expect(
      found([
        { ...before, adj_close: 100 },
        { ...after, adj_close: 50 },
      ]),
    ).toMatchObject([{ in_adj_close: false }]);
  });

  test('coins do not split', () => {
    expect(inspectBars([bar(0, DAY, 100), bar(DAY, DAY, 50)], '1d', CRYPTO, [], NEVER).likely_splits).toEqual([]);
  });
});
