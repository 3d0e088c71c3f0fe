import { beforeEach, expect, test } from '@jest/globals';
import { openMemory } from '../../../adapters/memory/storage.ts';
import { knownDays } from '../../../application/market/known-days.ts';
import { dailySpan } from '../../../domain/grading/bars/coverage.ts';
import { factorBasis } from '../../../domain/grading/bars/settled-bars.ts';
import type { BarCache } from '../../../domain/market/bar-cache.ts';
import type { Bar } from '../../../domain/market/bars.ts';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { type MarketData, openCoverage, SourceUnavailable } from '../../../domain/market/market-data.ts';
import { DAY, HOUR, MINUTE, type Millis } from '../../../domain/time.ts';

const BTC = { market: 'crypto', symbol: 'BTC', venue: 'KRAKEN', asset_class: 'spot', quote_currency: 'USD' } as const;
const MSFT = { market: 'stock', symbol: 'MSFT', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' } as const;
const NOON = Date.UTC(2026, 2, 4, 12);

let cache: BarCache;
/** The daily bars of the bar files; null while they cannot be read. */
let filed: readonly Bar[] | null;
let reads: string[];

beforeEach(() => {
  const { barCache } = openMemory();
  cache = {
    ...barCache,
    find(series, ...span) {
      reads.push(series.source);
      return barCache.find(series, ...span);
    },
  };
  [filed, reads] = [[], []];
});

test('the bar files and the sources are read in their order, and the first that has days shows them', async () => {
  filed = [day(1, 50)];
  await cached('kraken', BTC, [day(1, 60)]);
  expect(await closes(['bar-files', 'kraken'])).toEqual([50]);
  filed = [];
  expect(await closes(['bar-files', 'binance', 'kraken'])).toEqual([60]);
  filed = null;
  expect(await closes(['bar-files', 'coinbase', 'kraken'])).toEqual([60]);
  expect(reads).toEqual(['files', 'files', 'binance', 'kraken', 'files', 'coinbase', 'kraken']);
});

test('nothing that is not known shows nothing, and no other fault is taken for that', async () => {
  expect(await closes(['bar-files', 'kraken'])).toEqual([]);
  const broken = { ...files(), bars: async () => Promise.reject(new TypeError('a fault of ours')) };
  const read = knownDays({ barFiles: broken, barCache: openMemory().barCache }, BTC, sources(['bar-files']), AT);
  await expect(read).rejects.toThrow('a fault of ours');
});

test('a source without daily bars is not read', async () => {
  filed = [day(1, 50)];
  const [files] = sources(['bar-files']);
  const { '1d': _, ...spans } = files?.spans ?? {};
  const read = knownDays(ports(), BTC, [{ source: 'bar-files', spans, delisted_at: null }], AT);
  expect([await read, reads]).toEqual([[], []]);
});

test('what is known is remembered for ten minutes, for one session', async () => {
  filed = [day(1, 50)];
  expect(await closes(['bar-files'])).toEqual([50]);
  filed = [day(1, 51)];
  expect(await closes(['bar-files'], { anchor: NOON + HOUR, now: NOON + 10 * MINUTE - 1 })).toEqual([50]);
  expect(await closes(['bar-files'], { anchor: NOON - 3 * DAY, now: NOON })).toEqual([51]);
  expect(await closes(['bar-files'], { anchor: NOON, now: NOON + 10 * MINUTE })).toEqual([51]);
});

test('days of coins may come from several fetches; those of stocks from the one that has most of them', async () => {
  const days = [day(2, 60), day(1, 61)];
  for (const each of days) await cached('source', BTC, [each], each);
  expect(await closes(['source'])).toEqual([60, 61]);
  for (const each of days) await cached('source', MSFT, [each], each);
  expect(await closes(['source'], AT, MSFT)).toHaveLength(1);
  await cached('source', MSFT, days);
  expect(await closes(['source'], { anchor: NOON, now: NOON + 11 * MINUTE }, MSFT)).toEqual([60, 61]);
});

const AT = { anchor: NOON, now: NOON };

async function closes(names: readonly string[], at = AT, instrument: Instrument = BTC) {
  return (await knownDays(ports(), instrument, sources(names), at)).map(({ close }) => close);
}

const ports = () => ({ barFiles: files(), barCache: cache });
const sources = (names: readonly string[]) => names.map((name) => openCoverage(name, () => 0));

function files(): MarketData {
  return {
    describe: async () => null,
    coverage: async () => [],
    async bars(_, size) {
      reads.push('files');
      if (filed === null) throw new SourceUnavailable('the file cannot be read');
      return { source: 'bar-files', size, dropped: 0, bars: filed };
    },
  };
}

/** A stretch as a fetch stored it: with all days that are needed at noon, or with those of one bar. */
async function cached(source: string, instrument: Instrument, bars: readonly Bar[], span?: Bar): Promise<void> {
  const series = { source, instrument, size: '1d', basis: factorBasis(instrument, NOON) } as const;
  const { from, to } = dailySpan(calendarOf(instrument), NOON);
  await cache.keep(series, { from: span?.start ?? from, to: span?.end ?? to, bars });
}

function day(before: number, close: number): Bar {
  const start: Millis = NOON - (NOON % DAY) - before * DAY;
  return { start, end: start + DAY, open: close, high: close, low: close, close, volume: 1, split: 1, total: 1 };
}
