import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type BarCache, type BarStretch, type CachedSeries, coverOf } from '../../../domain/market/bar-cache.ts';
import type { Bar } from '../../../domain/market/bars.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import { DAY, MINUTE } from '../../../domain/time.ts';
import { type Contract, type Opened, race } from '../adapters.ts';

/** Not at the edge of anything. */
const NOON = Date.UTC(2026, 2, 2, 12, 7);

export const barCacheContract: Contract = {
  name: 'cached bars',
  promises(open) {
    let opened: Opened;
    let cache: BarCache;
    beforeAll(async () => {
      opened = await open();
      cache = opened.storage.barCache;
    });
    afterAll(() => opened.close());

    test('a series without stored bars returns nothing', async () => {
      expect(await cache.find(aSeries(), 0, NOON)).toEqual([]);
    });

    test('stored bars are found unchanged over many rows, with the minutes that had no trades', async () => {
      const series = aSeries();
      const stored = minutes(NOON, 5_000, (i) => i % 7 !== 0);
      await cache.keep(series, stored);
      const found = await cache.find(series, stored.from, stored.to);
      expect(coverOf(found, stored.from, stored.to)).toEqual({ bars: stored.bars, missing: null });
      expect(new Set(found.map(({ fetch }) => fetch)).size).toBe(1);
    });

    test('a stretch without a single bar is stored too', async () => {
      const series = aSeries();
      await cache.keep(series, { from: NOON, to: NOON + DAY, bars: [] });
      expect(coverOf(await cache.find(series, NOON, NOON + DAY), NOON, NOON + DAY)).toEqual({
        bars: [],
        missing: null,
      });
    });

    test('a query returns only the bars that overlap its time', async () => {
      const series = aSeries();
      await cache.keep(series, minutes(NOON, 10));
      expect(await cache.find(series, NOON - DAY, NOON)).toEqual([]);
      expect(await cache.find(series, NOON + 10 * MINUTE, NOON + DAY)).toEqual([]);
      const [found] = await cache.find(series, NOON + 4 * MINUTE, NOON + 6 * MINUTE);
      expect(found?.bars.map(({ start }) => start)).toEqual([NOON + 4 * MINUTE, NOON + 5 * MINUTE]);
    });

    test('sources, sizes, instruments and bases are never mixed', async () => {
      const series = aSeries();
      await cache.keep(series, minutes(NOON, 3));
      const others: Partial<CachedSeries>[] = [
        { source: 'another' },
        { size: '5m' },
        { basis: NOON },
        { instrument: { ...series.instrument, quote_currency: 'USDT' } },
        { instrument: { ...series.instrument, venue: 'KRAKEN' } },
        { instrument: { ...series.instrument, asset_class: 'perp' } },
      ];
      for (const other of others) expect(await cache.find({ ...series, ...other }, NOON, NOON + DAY)).toEqual([]);
    });

    test('the bars that were stored first stay, whatever a source says later', async () => {
      const series = aSeries();
      const first = minutes(NOON, 6);
      await cache.keep(series, first);
      const conflicting = minutes(NOON + 3 * MINUTE, 6);
      await cache.keep(series, { ...conflicting, bars: conflicting.bars.map((bar) => ({ ...bar, close: 7 })) });
      const { bars, missing } = coverOf(await cache.find(series, NOON, NOON + 9 * MINUTE), NOON, NOON + 9 * MINUTE);
      expect(missing).toBeNull();
      expect(bars.slice(0, 6)).toEqual(first.bars);
      expect(bars.slice(6).map(({ close }) => close)).toEqual([7, 7, 7]);
    });

    test('20 workers that store at once lose nothing, and all find the same', async () => {
      const series = aSeries();
      await race(20, (worker) => cache.keep(series, minutes(NOON + worker * 5 * MINUTE, 10)));
      const to = NOON + 105 * MINUTE;
      const found = await race(20, () => cache.find(series, NOON, to));
      const covers = found.map((stretches) => coverOf(stretches, NOON, to));
      expect(covers.map(({ missing }) => missing)).toEqual(covers.map(() => null));
      expect(covers.every(({ bars }) => JSON.stringify(bars) === JSON.stringify(covers[0]?.bars))).toBe(true);
      expect(covers[0]?.bars).toEqual(minutes(NOON, 105).bars);
    });

    test('the days of all series: of the newest basis, each bar once, at most as many series as wanted', async () => {
      const day = (start: number, close: number): Bar => ({
        ...{ start, end: start + DAY, open: 1, high: 9, low: 1, close, volume: 1, split: 1, total: 1 },
      });
      const [one, two] = [aSeries(), aSeries()].map((series) => ({ ...series, source: 'days', size: '1d' }) as const);
      if (!one || !two) throw new Error('There are two series.');
      const from = Math.floor(NOON / DAY) * DAY;
      await cache.keep(one, { from, to: from + 2 * DAY, bars: [day(from, 2), day(from + DAY, 3)] });
      await cache.keep(one, {
        from: from + DAY,
        to: from + 3 * DAY,
        bars: [day(from + DAY, 7), day(from + 2 * DAY, 4)],
      });
      await cache.keep({ ...one, size: '1h' }, { from, to: from + DAY, bars: [] });
      await cache.keep({ ...two, basis: NOON }, { from, to: from + DAY, bars: [day(from, 5)] });
      await cache.keep({ ...two, basis: NOON + DAY }, { from, to: from + DAY, bars: [day(from, 6)] });
      const found = await cache.days(100);
      const closes = found
        .filter(({ source }) => source === 'days')
        .map(({ instrument, bars }) => [instrument, bars.map(({ close }) => close)]);
      expect(closes).toEqual([
        [instrumentKey(one.instrument), [2, 3, 4]],
        [instrumentKey(two.instrument), [6]],
      ]);
      expect(await cache.days(1)).toEqual(found.slice(0, 1));
      await cache.prune(NOON + DAY);
    });

    test('pruning removes series of old bases, and never those of none', async () => {
      const [coins, old, young] = [aSeries(0), aSeries(NOON), aSeries(NOON + DAY)];
      for (const series of [coins, old, young]) await cache.keep(series, minutes(NOON, 3));
      expect(await cache.prune(NOON + DAY)).toBe(1);
      const left = await Promise.all([coins, old, young].map((series) => cache.find(series, NOON, NOON + DAY)));
      expect(left.map(({ length }) => length)).toEqual([1, 0, 1]);
      expect(await cache.prune(NOON + DAY)).toBe(0);
    });
  },
};

let number = 0;

/** A series that no other test has used. */
function aSeries(basis = 0): CachedSeries {
  const instrument = { market: 'crypto', venue: 'COINBASE', asset_class: 'spot', quote_currency: 'USD' } as const;
  return { source: 'test', size: '1m', basis, instrument: { ...instrument, symbol: `C${number++}` } };
}

function minutes(from: number, count: number, traded: (i: number) => boolean = () => true): BarStretch {
  const bars = Array.from({ length: count }, (_, i): Bar => {
    const start = from + i * MINUTE;
    const open = 100 + (start % DAY) / 1e6;
    const prices = { open, high: open + 1, low: open - 1, close: open + 0.5 };
    return {
      start,
      end: start + MINUTE,
      ...prices,
      volume: (start / MINUTE) % 3 === 0 ? null : 1.25,
      split: 1,
      total: 1,
    };
  });
  return { from, to: from + count * MINUTE, bars: bars.filter((_, i) => traded(i)) };
}
