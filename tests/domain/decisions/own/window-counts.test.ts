import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type CountedWindow, windowCounts, windowTally } from '../../../../domain/decisions/own/window-counts.ts';
import { DAY, HOUR, MINUTE } from '../../../../domain/time.ts';
import { at, BTC, MSFT, PUFA } from '../../market/real-bars.ts';

const t0 = at('2024-03-06T15:00Z');

function window(from: number, to: number, instrument = BTC): CountedWindow {
  return { instrument, anchor_time: t0 + from * MINUTE, end_time: t0 + to * MINUTE };
}

test('nothing counts as nothing', () => {
  expect(windowCounts([])).toEqual({ instruments: 0, instrument_days: 0, max_concurrent: 0, disjoint: 0 });
});

test('windows that touch do not overlap, to the minute', () => {
  expect(windowCounts([window(0, 10), window(10, 20)])).toMatchObject({ max_concurrent: 1, disjoint: 2 });
  expect(windowCounts([window(0, 10), window(9, 20)])).toMatchObject({ max_concurrent: 2, disjoint: 1 });
  expect(windowCounts([window(0.2, 10.9), window(10.1, 20)])).toMatchObject({ max_concurrent: 1, disjoint: 2 });
});

test('a long window counts against the short ones within it, once', () => {
  const windows = [window(0, 100), window(10, 20), window(20, 30), window(25, 40)];
  expect(windowCounts(windows)).toMatchObject({ max_concurrent: 3, disjoint: 2 });
});

test('instruments do not overlap each other', () => {
  const windows = [window(0, 10), window(0, 10, MSFT), window(0, 10, MSFT)];
  expect(windowCounts(windows)).toEqual({ instruments: 2, instrument_days: 2, max_concurrent: 2, disjoint: 2 });
});

test('one security on several venues, in several quotes, as spot and perpetual is one', () => {
  const lines = [
    BTC,
    { ...BTC, venue: 'OKX' },
    { ...BTC, quote_currency: 'USDT' },
    { ...BTC, asset_class: 'perp', quote_currency: 'USDT' } as const,
  ];
  const windows = lines.map((instrument) => window(0, 10, instrument));
  expect(windowCounts(windows)).toEqual({ instruments: 1, instrument_days: 1, max_concurrent: 4, disjoint: 1 });
  const others = [...windows, window(0, 10, { ...BTC, market: 'stock' }), window(0, 10, { ...BTC, symbol: 'WBTC' })];
  expect(windowCounts(others)).toMatchObject({ instruments: 3, disjoint: 3 });
});

test('days are those of the venue', () => {
  const midnight = at('2024-03-06T00:00Z');
  const around = (instrument: CountedWindow['instrument']) =>
    windowCounts(
      [-3 * HOUR, 3 * HOUR, 5.5 * HOUR].map((offset) => {
        return { instrument, anchor_time: midnight + offset, end_time: midnight + DAY };
      }),
    ).instrument_days;
  expect([around(BTC), around(MSFT), around(PUFA)]).toEqual([2, 2, 1]);
});

describe('as counted one by one', () => {
  const any: fc.Arbitrary<CountedWindow> = fc
    .record({
      instrument: fc.constantFrom(BTC, MSFT, PUFA),
      from: fc.integer({ min: 0, max: 40 }),
      length: fc.integer({ min: 2, max: 15 }),
    })
    .map(({ instrument, from, length }) => window(from, from + length, instrument));

  test('whatever the windows', () => {
    fc.assert(
      fc.property(fc.array(any, { maxLength: 12 }), (windows) => {
        const groups = [...Map.groupBy(windows, ({ instrument }) => instrument.symbol).values()];
        const { max_concurrent, disjoint, instruments } = windowCounts(windows);
        expect(instruments).toBe(groups.length);
        expect(max_concurrent).toBe(Math.max(0, ...groups.map(mostAtOnce)));
        expect(disjoint).toBe(groups.reduce((sum, group) => sum + mostApart(group), 0));
      }),
    );
  });

  test('in parts, and counted between them', () => {
    fc.assert(
      fc.property(fc.array(fc.array(any, { maxLength: 6 }), { maxLength: 6 }), (parts) => {
        const tally = windowTally();
        for (const [i, part] of parts.entries()) {
          tally.add(part);
          expect(tally.counts()).toEqual(windowCounts(parts.slice(0, i + 1).flat()));
        }
      }),
    );
  });

  test('before 1970 and after 2090, and as long as a century', () => {
    for (const year of [1875, 1969, 2090]) {
      const start = Date.UTC(year, 0);
      const years = (from: number, to: number) => {
        return { instrument: BTC, anchor_time: start + from * 365 * DAY, end_time: start + to * 365 * DAY };
      };
      const windows = [years(0, 100), years(0, 1), years(1, 2), years(1.5, 3)];
      expect(windowCounts(windows)).toMatchObject({ max_concurrent: 3, disjoint: 2 });
    }
  });

  function mostAtOnce(windows: readonly CountedWindow[]): number {
    const minutes = Array.from({ length: 60 }, (_, i) => t0 + i * MINUTE);
    const open = (at: number) => windows.filter((each) => each.anchor_time < at && at <= each.end_time).length;
    return Math.max(...minutes.map(open));
  }

  /** Of all subsets. */
  function mostApart([first, ...others]: readonly CountedWindow[]): number {
    if (!first) return 0;
    const apart = others.filter((each) => each.anchor_time >= first.end_time || each.end_time <= first.anchor_time);
    return Math.max(mostApart(others), 1 + mostApart(apart));
  }
});
