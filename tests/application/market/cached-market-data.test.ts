import { beforeEach, describe, expect, test } from '@jest/globals';
import { openMemory } from '../../../adapters/memory/storage.ts';
import { cachedMarketData } from '../../../application/market/cached-market-data.ts';
import { type Bar, type BarSize, lengthOf } from '../../../domain/market/bars.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { type MarketData, openCoverage, SourceUnavailable } from '../../../domain/market/market-data.ts';
import { DAY, HOUR, MINUTE } from '../../../domain/time.ts';
import { race } from '../../contracts/adapters.ts';

const BTC = { market: 'crypto', symbol: 'BTC', venue: 'KRAKEN', asset_class: 'spot', quote_currency: 'USD' } as const;
const MSFT = { market: 'stock', symbol: 'MSFT', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' } as const;
const NOON = Date.UTC(2026, 2, 2, 12);
const LATER = NOON + DAY;

/** The requests to the source, such as `1m 0 60`: minutes from noon. */
let requests: string[];
let source: FakeSource;
let cached: MarketData;

beforeEach(() => {
  requests = [];
  source = { name: 'fake', split: 1, dropped: 0, failure: null, silent: null };
  cached = cachedMarketData(fake(), openMemory().barCache);
});

describe('a coin', () => {
  test('is fetched once, however many callers and reads', async () => {
    const first = await minutes(0, 60);
    expect(first.bars).toHaveLength(60);
    expect(await minutes(0, 60)).toEqual(first);
    expect((await minutes(10, 20)).bars).toEqual(first.bars.slice(10, 20));
    expect(requests).toEqual(['1m 0 60']);
  });

  test('also by 20 concurrent callers', async () => {
    const all = await race(20, () => minutes(0, 60));
    expect(all.every(({ bars }) => bars.length === 60)).toBe(true);
    expect(requests).toEqual(['1m 0 60']);
  });

  test('is fetched only where bars are missing, in one request', async () => {
    await minutes(20, 30);
    expect((await minutes(25, 40)).bars.map(({ start }) => (start - NOON) / MINUTE)).toEqual(range(25, 40));
    await minutes(10, 60);
    expect((await minutes(10, 60)).bars).toHaveLength(50);
    expect(requests).toEqual(['1m 20 30', '1m 30 40', '1m 10 60']);
  });

  test('minutes without trades are not fetched again, once a later bar shows that there were none', async () => {
    source = { ...source, silent: { from: 10, to: 50 } };
    expect((await minutes(0, 60)).bars).toHaveLength(20);
    expect((await minutes(5, 55)).bars).toHaveLength(10);
    expect(requests).toEqual(['1m 0 60']);
  });

  test('minutes missing at the end are fetched again, since the source may be late, but for three days only', async () => {
    source = { ...source, silent: { from: 50, to: 9_999 } };
    expect((await minutes(0, 60)).bars).toHaveLength(50);
    expect((await minutes(0, 60, NOON + 3 * DAY)).bars).toHaveLength(50);
    expect((await minutes(0, 60, NOON + 3 * DAY + HOUR)).bars).toHaveLength(50);
    expect((await minutes(0, 60, NOON + 3 * DAY + HOUR)).bars).toHaveLength(50);
    expect(requests).toEqual(['1m 0 60', '1m 50 60', '1m 50 60']);
  });

  test('bars that a late source sends later are returned', async () => {
    source = { ...source, silent: { from: 50, to: 9_999 } };
    await minutes(0, 60);
    source = { ...source, silent: null };
    expect((await minutes(0, 60)).bars).toHaveLength(60);
  });

  test('a window that cuts bars asks for whole ones', async () => {
    await read(BTC, '1m', NOON + 1, NOON + 10 * MINUTE - 1);
    expect(requests).toEqual(['1m 1 9']);
  });

  test('unsettled bars are neither fetched nor returned', async () => {
    const now = NOON + 62 * MINUTE - 1;
    expect((await minutes(0, 90, now)).bars).toHaveLength(59);
    expect((await minutes(59, 90, now)).bars).toEqual([]);
    expect((await minutes(0, 90, now + 1)).bars).toHaveLength(60);
    expect(requests).toEqual(['1m 0 59', '1m 59 60']);
  });

  test('a returned bar never changes, whatever the source sends later', async () => {
    const before = await minutes(0, 60);
    source = { ...source, split: 0.5 };
    expect((await minutes(0, 90)).bars.slice(0, 60)).toEqual(before.bars);
  });

  test('a source that fails is asked again, and rows with impossible prices are not stored', async () => {
    source = { ...source, failure: new SourceUnavailable('down') };
    await expect(minutes(0, 60)).rejects.toThrow(SourceUnavailable);
    source = { ...source, failure: null, dropped: 3 };
    expect(await minutes(0, 60)).toMatchObject({ dropped: 3 });
    source = { ...source, dropped: 0 };
    expect(await minutes(0, 60)).toMatchObject({ dropped: 0 });
    expect(await minutes(0, 60)).toMatchObject({ dropped: 0 });
    expect(requests).toHaveLength(3);
  });

  test('a source that answers under another name is a fault of ours', async () => {
    await minutes(0, 10);
    source = { ...source, name: 'other' };
    await expect(minutes(0, 60)).rejects.toThrow(TypeError);
  });

  test('sizes and instruments are cached separately', async () => {
    await read(BTC, '1m', NOON, NOON + HOUR);
    await read(BTC, '5m', NOON, NOON + HOUR);
    await read({ ...BTC, quote_currency: 'USDT' }, '1m', NOON, NOON + HOUR);
    expect(requests).toEqual(['1m 0 60', '5m 0 60', '1m 0 60']);
  });
});

describe('a stock', () => {
  const week = (from: number, to: number, now: number) => read(MSFT, '1d', NOON - from * DAY, NOON - to * DAY, now);

  test('is fetched once within a session', async () => {
    const first = await week(9, 2, NOON);
    expect(await week(9, 2, NOON + MINUTE)).toEqual(first);
    expect((await week(5, 2, NOON)).bars.length).toBeLessThan(first.bars.length);
    expect(requests).toHaveLength(1);
  });

  test('is fetched once when the window ends within a session, too', async () => {
    const now = NOON + 12 * HOUR;
    for (let i = 0; i < 3; i++) await read(MSFT, '1d', NOON - 9 * DAY, NOON - 5 * DAY + 4 * HOUR, now);
    expect(requests).toHaveLength(1);
  });

  test('never has bars of two fetches in one reply, since a split may be between them', async () => {
    await week(5, 2, NOON);
    source = { ...source, split: 0.5 };
    const factors = (await week(9, 2, NOON)).bars.map(({ split }) => split);
    expect(new Set(factors)).toEqual(new Set([0.5]));
    expect(requests).toHaveLength(2);
  });

  test('is fetched again once a session has opened, when a split or dividend may have changed every factor', async () => {
    await week(9, 2, NOON);
    source = { ...source, split: 0.5 };
    expect((await week(9, 2, NOON + 3 * HOUR)).bars[0]?.split).toBe(0.5);
    expect((await week(9, 2, NOON + MINUTE)).bars[0]?.split).toBe(1);
    expect(requests).toHaveLength(2);
  });
});

interface FakeSource {
  readonly name: string;
  readonly split: number;
  readonly dropped: number;
  readonly failure: Error | null;
  /** Minutes from noon that it has no bars of. */
  readonly silent: { readonly from: number; readonly to: number } | null;
}

function fake(): MarketData {
  return {
    describe: async () => ({
      source: source.name,
      sizes: ['1m', '5m', '1d'],
      history_from: 0,
      delisted_at: null,
      cadence: 'continuous',
    }),
    coverage: async () => [openCoverage(source.name, () => 0)],
    async bars({ market }, size, from, to, now) {
      requests.push(`${size} ${(from - NOON) / MINUTE} ${(to - NOON) / MINUTE}`);
      await new Promise((resolve) => setImmediate(resolve));
      const { name, split, dropped, failure, silent } = source;
      if (failure) throw failure;
      const days = barsWithin(size, from - DAY, to + DAY, split).flatMap(sessionOf);
      const sessions = days.filter(({ start, end }) => start >= from && end <= Math.min(to, now));
      const bars = market === 'stock' ? sessions : barsWithin(size, from, Math.min(to, now), split);
      const at = ({ start }: Bar) => (start - NOON) / MINUTE;
      return {
        source: name,
        size,
        dropped,
        bars: bars.filter((bar) => !silent || at(bar) < silent.from || at(bar) >= silent.to),
      };
    },
  };
}

function barsWithin(size: BarSize, from: number, to: number, split: number): Bar[] {
  const length = lengthOf(size);
  const prices = { open: 1, high: 2, low: 1, close: 2, volume: 1, split, total: split };
  const first = Math.ceil(from / length);
  return range(first, Math.floor(to / length)).map((i) => ({ start: i * length, end: (i + 1) * length, ...prices }));
}

/** Of a weekday of that winter, from 09:30 to 16:00 in New York. */
function sessionOf(day: Bar): Bar[] {
  const weekday = new Date(day.start).getUTCDay() % 6 !== 0;
  return weekday ? [{ ...day, start: day.start + 14.5 * HOUR, end: day.start + 21 * HOUR }] : [];
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
}

function read(instrument: Instrument, size: BarSize, from: number, to: number, now = LATER) {
  return cached.bars(instrument, size, from, to, now);
}

function minutes(from: number, to: number, now = LATER) {
  return read(BTC, '1m', NOON + from * MINUTE, NOON + to * MINUTE, now);
}
