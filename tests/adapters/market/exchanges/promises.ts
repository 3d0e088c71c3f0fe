import { describe, expect, test } from '@jest/globals';
import { BAR_SIZES, lengthOf } from '../../../../domain/market/bars.ts';
import type { Instrument } from '../../../../domain/market/instrument.ts';
import type { MarketData } from '../../../../domain/market/market-data.ts';
import { DAY, HOUR, MINUTE } from '../../../../domain/time.ts';
import type { FaultServer } from '../../../harness/exchanges/fault-server.ts';
import { type MadeSeries, priceAt } from '../../../harness/exchanges/made-series.ts';
import type { TestTools } from '../../../harness/exchanges/source-tools.ts';

/** A source before a server that speaks like its exchange and lists one instrument. */
export interface Bench {
  readonly source: MarketData;
  readonly instrument: Instrument;
  readonly server: FaultServer;
  readonly series: MadeSeries;
  readonly tools: TestTools;
  /** The exchange says that the instrument does not trade. */
  halt(): void;
}

export const LISTED = Date.UTC(2026, 0, 5);
/** Within a minute, so that a bucket of every size has begun and is not final. */
export const NOW = Date.UTC(2026, 2, 2, 12, 34, 56);

export function seriesOf(): MadeSeries {
  return { since: LISTED, now: NOW, quiet: new Set(), wrong: new Map(), until: Number.POSITIVE_INFINITY };
}

/**
 * What every exchange promises as a source of prices (domain/market/market-data.ts).
 */
export function promisesOfExchanges(name: string, open: () => Bench): void {
  describe(name, () => {
    test('describes what it has of an instrument', async () => {
      const { source, instrument } = open();
      expect(await source.describe(instrument)).toEqual({
        source: expect.any(String),
        sizes: ['1m', '5m', '1h', '1d'],
        history_from: LISTED,
        delisted_at: null,
        cadence: 'continuous',
      });
    });

    test('does not know what its exchange does not list', async () => {
      const { source, instrument } = open();
      expect(await source.describe({ ...instrument, symbol: 'NOSUCHCOIN' })).toBeNull();
    });

    test('leaves the other asset class to others, without a request', async () => {
      const { source, instrument, server } = open();
      const other = instrument.asset_class === 'spot' ? 'perp' : 'spot';
      expect(await source.describe({ ...instrument, asset_class: other })).toBeNull();
      expect(server.asked).toEqual([]);
    });

    test('covers its own asset class without end and without a request, and nothing else', async () => {
      const { source, instrument, server } = open();
      const [covered, ...others] = await source.coverage({ ...instrument, symbol: 'NOSUCHCOIN' }, NOW);
      expect([covered?.delisted_at, others]).toEqual([null, []]);
      for (const size of BAR_SIZES) {
        expect(covered?.spans[size]?.from).toBeLessThanOrEqual(NOW - 719 * lengthOf(size));
        expect(covered?.spans[size]?.to).toBe(Number.POSITIVE_INFINITY);
      }
      const other = instrument.asset_class === 'spot' ? 'perp' : 'spot';
      expect(await source.coverage({ ...instrument, asset_class: other }, NOW)).toEqual([]);
      expect(await source.coverage({ ...instrument, market: 'stock' }, NOW)).toEqual([]);
      expect(server.asked).toEqual([]);
    });

    test.each(BAR_SIZES)('has bars of %s that are final, ascending and without gaps', async (size) => {
      const { source, instrument } = open();
      const length = lengthOf(size);
      const last = Math.floor(NOW / length) * length;
      const from = Math.max(LISTED, last - 400 * length);
      const { bars, dropped } = await source.bars(instrument, size, from, NOW + DAY, NOW);
      const starts = Array.from({ length: (last - from) / length }, (_, i) => from + i * length);
      expect(bars.map(({ start }) => start)).toEqual(starts);
      expect(bars.every(({ start, end }) => end === start + length)).toBe(true);
      expect(dropped).toBe(0);
      expect(bars[0]?.open).toBeCloseTo(priceAt(from), 6);
      expect(bars.at(-1)?.close).toBeCloseTo(priceAt(last), 6);
      expect(bars[0]).toMatchObject({ volume: 1.5, split: 1, total: 1 });
    });

    test('has only bars that lie within the window', async () => {
      const { source, instrument } = open();
      const hour = Math.floor(NOW / HOUR) * HOUR;
      const { bars } = await source.bars(instrument, '5m', hour + 1, hour + 16 * MINUTE, NOW);
      expect(bars.map(({ start }) => start - hour)).toEqual([5 * MINUTE, 10 * MINUTE]);
    });

    test('has no bars of a window that has not begun', async () => {
      const { source, instrument, server } = open();
      expect((await source.bars(instrument, '1m', NOW, NOW + HOUR, NOW)).bars).toEqual([]);
      expect(server.asked).toEqual([]);
    });

    test('leaves a gap where the exchange has none', async () => {
      const { source, instrument, series } = open();
      const hour = Math.floor(NOW / HOUR) * HOUR;
      series.quiet.add(hour + 2 * MINUTE);
      const { bars, dropped } = await source.bars(instrument, '1m', hour, hour + 5 * MINUTE, NOW);
      expect(bars.map(({ start }) => (start - hour) / MINUTE)).toEqual([0, 1, 3, 4]);
      expect(dropped).toBe(0);
    });

    test.each([
      ['no number', { open: 'NaN' }],
      ['an empty text', { close: '' }],
      ['below zero', { low: '-1' }],
      ['zero', { low: '0' }],
      ['a high below the close', { high: '0.5' }],
      ['hexadecimal', { open: '0x64' }],
    ])('drops and counts a bar with %s', async (_, wrong) => {
      const { source, instrument, series } = open();
      const hour = Math.floor(NOW / HOUR) * HOUR;
      series.wrong.set(hour + MINUTE, wrong);
      const { bars, dropped } = await source.bars(instrument, '1m', hour, hour + 3 * MINUTE, NOW);
      expect(bars.map(({ start }) => (start - hour) / MINUTE)).toEqual([0, 2]);
      expect(dropped).toBe(1);
    });

    test.each(['{"rows":1}', '[[]]', 'null', '<html>'])('is unavailable when it answers %s', async (text) => {
      const { source, instrument, server } = open();
      for (let i = 0; i < 3; i++) server.faults.push({ kind: 'text', text });
      const request = source.bars(instrument, '1h', NOW - DAY, NOW, NOW);
      await expect(request).rejects.toMatchObject({ name: 'SourceUnavailable' });
    });

    test('goes through a rate limit, a server error and a broken connection', async () => {
      const { source, instrument, server, tools } = open();
      server.faults.push({ kind: 'status', status: 429, headers: { 'retry-after': '2' } }, { kind: 'cut' });
      const { bars } = await source.bars(instrument, '1h', NOW - DAY, NOW, NOW);
      expect(bars).toHaveLength(23);
      expect(tools.logged).toMatchObject([{ message: 'A market data source failed', status: 429 }, { count: 2 }]);
    });
  });
}

/** Further promises of exchanges that still list an instrument after it stops trading. */
export function promisesOnLeaving(name: string, open: () => Bench): void {
  describe(name, () => {
    test('returns the last print of an instrument that has left, to the minute', async () => {
      const { source, instrument, series, halt } = open();
      series.until = NOW - 10 * DAY;
      halt();
      const listing = await source.describe(instrument);
      expect(listing?.delisted_at).toBe(Math.ceil(series.until / MINUTE) * MINUTE);
    });

    test('does not take a halt of a few days for the end', async () => {
      const { source, instrument, series, halt } = open();
      series.until = NOW - 2 * DAY;
      halt();
      expect(await source.describe(instrument)).toMatchObject({ delisted_at: null });
    });
  });
}
