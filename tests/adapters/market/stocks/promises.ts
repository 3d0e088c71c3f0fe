import { describe, expect, test } from '@jest/globals';
import { BAR_SIZES, lengthOf } from '../../../../domain/market/bars.ts';
import type { Instrument } from '../../../../domain/market/instrument.ts';
import type { MarketData } from '../../../../domain/market/market-data.ts';
import { DAY, HOUR, MINUTE, type Millis } from '../../../../domain/time.ts';
import type { FaultServer } from '../../../harness/exchanges/fault-server.ts';
import { priceAt } from '../../../harness/exchanges/made-series.ts';
import type { TestTools } from '../../../harness/exchanges/source-tools.ts';
import { changeDay, type MadeStock, NEW_YORK, openOf } from '../../../harness/stocks/made-stock.ts';

/** A source before a server that speaks like its original and knows one stock. */
export interface StockBench {
  readonly source: MarketData;
  readonly server: FaultServer;
  readonly stock: MadeStock;
  readonly tools: TestTools;
}

export const MSFT: Instrument = {
  market: 'stock',
  symbol: 'MSFT',
  venue: 'NASDAQ',
  asset_class: 'spot',
  quote_currency: 'USD',
};

export const LISTED = Date.UTC(2025, 10, 3);
/** A Monday, 12:45 and a bit in New York: the session has begun and is not over. */
export const NOW = Date.UTC(2026, 2, 2, 17, 45, 56);
/** The last session before it that is over: a Friday. */
export const FRIDAY = openOf('2026-02-27');

/** What every source of stock prices promises (domain/market/market-data.ts). */
export function promisesOfStocks(name: string, open: () => StockBench): void {
  describe(name, () => {
    test('describes what it has of a stock', async () => {
      const { source } = open();
      expect(await source.describe(MSFT)).toMatchObject({
        sizes: ['1m', '5m', '1h', '1d'],
        history_from: openOf('2025-11-03'),
        delisted_at: null,
      });
    });

    test('does not know a symbol without prices', async () => {
      const { source } = open();
      expect(await source.describe({ ...MSFT, symbol: 'NOSUCH' })).toBeNull();
    });

    test('leaves what is no stock to others, without a request', async () => {
      const { source, server } = open();
      expect(await source.describe({ ...MSFT, market: 'crypto', venue: 'BINANCE' })).toBeNull();
      expect(server.asked).toEqual([]);
    });

    test('covers stocks without end and without a request, and nothing else', async () => {
      const { source, server } = open();
      const [covered, ...others] = await source.coverage({ ...MSFT, symbol: 'NOSUCH' }, NOW);
      expect([covered?.delisted_at, others]).toEqual([null, []]);
      for (const size of BAR_SIZES) {
        expect(covered?.spans[size]?.from).toBeLessThanOrEqual(NOW - 29 * DAY);
        expect(covered?.spans[size]?.to).toBe(Number.POSITIVE_INFINITY);
      }
      expect(await source.coverage({ ...MSFT, market: 'crypto' }, NOW)).toEqual([]);
      expect(server.asked).toEqual([]);
    });

    test.each(BAR_SIZES)('has bars of %s counted from the open, of sessions alone', async (size) => {
      const { source } = open();
      const { bars, dropped } = await source.bars(MSFT, size, openOf('2026-02-25'), FRIDAY + DAY, NOW);
      const expected = ['2026-02-25', '2026-02-26', '2026-02-27'].flatMap((date) => gridOf(openOf(date), size));
      expect(bars.map(({ start, end }) => [start, end])).toEqual(expected);
      expect(bars.map((bar) => bar.open.toFixed(6))).toEqual(expected.map(([start]) => priceAt(start).toFixed(6)));
      expect(bars.map((bar) => bar.close.toFixed(6))).toEqual(expected.map(([, end]) => priceAt(end).toFixed(6)));
      expect(bars.every(({ split, total }) => split === 1 && Math.abs(total - 1) < 1e-6)).toBe(true);
      expect(dropped).toBe(0);
    });

    test.each(BAR_SIZES)('has of today only bars of %s that are over', async (size) => {
      const { source } = open();
      const today = openOf('2026-03-02');
      const { bars } = await source.bars(MSFT, size, today, NOW + DAY, NOW);
      const ended = gridOf(today, size).filter(([, end]) => end <= NOW);
      expect(bars.map(({ start }) => start)).toEqual(ended.slice(0, bars.length).map(([start]) => start));
      // Some are a quarter of an hour late.
      const late = ended.filter(([, end]) => end <= NOW - 16 * MINUTE);
      expect(bars.length).toBeGreaterThanOrEqual(late.length);
    });

    test('ends at an early close', async () => {
      const { source } = open();
      const thanksgiving = openOf('2025-11-28');
      const { bars } = await source.bars(MSFT, '1d', thanksgiving, thanksgiving + DAY, NOW);
      expect(bars.map(({ start, end }) => [start, end])).toEqual([[thanksgiving, thanksgiving + 3.5 * HOUR]]);
    });

    test('has no bars of a window that has not begun, and asks nobody', async () => {
      const { source, server } = open();
      expect((await source.bars(MSFT, '1m', NOW + HOUR, NOW + DAY, NOW)).bars).toEqual([]);
      expect(server.asked).toEqual([]);
    });

    test('leaves a gap where nothing was traded', async () => {
      const { source, stock } = open();
      stock.series.quiet.add(FRIDAY + 2 * MINUTE);
      const { bars, dropped } = await source.bars(MSFT, '1m', FRIDAY, FRIDAY + 4 * MINUTE, NOW);
      expect(bars.map(({ start }) => (start - FRIDAY) / MINUTE)).toEqual([0, 1, 3]);
      expect(dropped).toBe(0);
    });

    test.each([
      ['below zero', { low: '-1' }],
      ['zero', { low: '0' }],
      ['a high below the close', { high: '0.5' }],
    ])('drops and counts a bar with %s', async (_, wrong) => {
      const { source, stock } = open();
      stock.series.wrong.set(FRIDAY + MINUTE, wrong);
      // One outside the window is nobody's loss.
      stock.series.wrong.set(FRIDAY + 5 * MINUTE, wrong);
      const { bars, dropped } = await source.bars(MSFT, '1m', FRIDAY, FRIDAY + 3 * MINUTE, NOW);
      expect(bars.map(({ start }) => (start - FRIDAY) / MINUTE)).toEqual([0, 2]);
      expect(dropped).toBe(1);
    });

    test('drops and counts a day that cannot be', async () => {
      const { source, stock } = open();
      changeDay(stock, '2026-02-26', { high: 1 });
      const { bars, dropped } = await source.bars(MSFT, '1d', openOf('2026-02-25'), FRIDAY + DAY, NOW);
      expect(bars.map(({ start }) => start)).toEqual([openOf('2026-02-25'), FRIDAY]);
      expect(dropped).toBe(1);
    });

    test.each(['{"bars":1,"results":1,"chart":1}', '[[]]', 'null', '<html>'])(
      'is unavailable when it answers %s',
      async (text) => {
        const { source, server } = open();
        for (let i = 0; i < 3; i++) server.faults.push({ kind: 'text', text });
        await expect(source.describe(MSFT)).rejects.toMatchObject({ name: 'SourceUnavailable' });
      },
    );

    test('goes through a rate limit, a half-closed connection and an answer that breaks off', async () => {
      const { source, server, tools } = open();
      server.faults.push({ kind: 'status', status: 429, headers: { 'retry-after': '2' } }, { kind: 'half_closed' });
      expect(await source.describe(MSFT)).not.toBeNull();
      server.faults.push({ kind: 'cut' });
      const { bars } = await source.bars(MSFT, '5m', FRIDAY, FRIDAY + HOUR, NOW);
      expect(bars).toHaveLength(12);
      const again = 'A market data source answers again';
      expect(tools.logged).toMatchObject([
        { status: 429 },
        { message: again, count: 2 },
        {},
        { message: again, count: 1 },
      ]);
    });

    test('brings prices before a split into the units after it, of every size', async () => {
      const { source, stock } = open();
      stock.splits.push({ ex_date: '2026-02-26', to: 4, from: 1 });
      adjust(stock, '2026-02-26', 1 / 4);
      for (const size of ['1h', '1d'] as const) {
        const { bars } = await source.bars(MSFT, size, openOf('2026-02-25'), FRIDAY + DAY, NOW);
        const before = bars.filter(({ start }) => start < openOf('2026-02-26'));
        expect(before.map(({ split, total }) => [split, round(total)])).toEqual(before.map(() => [0.25, 0.25]));
        const after = bars.filter(({ start }) => start >= openOf('2026-02-26'));
        expect(after.map(({ split, total }) => [split, round(total)])).toEqual(after.map(() => [1, 1]));
        // As traded, in whatever units the source reports.
        expect(before[0]?.open).toBeCloseTo(priceAt(openOf('2026-02-25')), 5);
      }
    });

    test('takes a dividend out of the prices before it', async () => {
      const { source, stock } = open();
      const before = priceAt(NEW_YORK.nthBefore(FRIDAY, 1).close);
      stock.dividends.push({ ex_date: '2026-02-27', amount: before / 50 });
      adjust(stock, '2026-02-27', 0.98);
      const { bars } = await source.bars(MSFT, '1d', openOf('2026-02-26'), FRIDAY + DAY, NOW);
      expect(bars.map(({ split, total }) => [split, round(total)])).toEqual([
        [1, 0.98],
        [1, 1],
      ]);
    });

    test('does not reckon with a split to come', async () => {
      const { source, stock } = open();
      stock.splits.push({ ex_date: '2026-03-03', to: 2, from: 1 });
      const { bars } = await source.bars(MSFT, '1d', FRIDAY, FRIDAY + DAY, NOW);
      expect(bars).toMatchObject([{ split: 1, total: expect.closeTo(1, 6) }]);
    });

    test('asks for the days of a stock once, and anew after an open', async () => {
      const { source, server, stock } = open();
      await Promise.all([source.describe(MSFT), source.describe(MSFT)]);
      await source.describe(MSFT);
      const once = server.asked.length;
      await source.bars(MSFT, '1d', openOf('2026-02-25'), FRIDAY + DAY, NOW);
      expect(server.asked).toHaveLength(once);
      stock.series.now = NOW + DAY;
      await source.bars(MSFT, '1d', openOf('2026-02-25'), FRIDAY + DAY, NOW + DAY);
      expect(server.asked).toHaveLength(2 * once);
    });

    test('does not keep a failure', async () => {
      const { source, server, stock, tools } = open();
      stock.series.now = NOW + HOUR;
      for (let i = 0; i < 3; i++) server.faults.push({ kind: 'status', status: 503 });
      await expect(source.describe(MSFT)).rejects.toMatchObject({ name: 'SourceUnavailable' });
      tools.advance(MINUTE);
      expect(await source.describe(MSFT)).not.toBeNull();
    });

    test('returns the last print of a stock that has left', async () => {
      const { source, stock } = open();
      stock.days.splice(stock.days.findIndex(({ date }) => date === '2026-01-16') + 1);
      expect(await source.describe(MSFT)).toMatchObject({ delisted_at: openOf('2026-01-16') + 6.5 * HOUR });
    });

    test('does not take a halt of a week for the end', async () => {
      const { source, stock } = open();
      stock.days.splice(-6);
      expect(await source.describe(MSFT)).toMatchObject({ delisted_at: null });
    });
  });
}

/** Where a whole session of 6.5 hours has its bars. */
function gridOf(open: Millis, size: (typeof BAR_SIZES)[number]): [Millis, Millis][] {
  const close = open + 6.5 * HOUR;
  const length = Math.min(lengthOf(size), close - open);
  return Array.from({ length: Math.ceil((close - open) / length) }, (_, i) => [
    open + i * length,
    Math.min(open + (i + 1) * length, close),
  ]);
}

/** What the source's adjusted closes before a date become. */
function adjust(stock: MadeStock, date: string, factor: number): void {
  for (const day of stock.days.filter((each) => each.date < date)) {
    changeDay(stock, day.date, { adj_close: day.close * factor });
  }
}

function round(factor: number): number {
  return Number(factor.toFixed(5));
}
