import { expect, test } from '@jest/globals';
import { openMemory } from '../../../adapters/memory/storage.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { type MarketData, SourceUnavailable } from '../../../domain/market/market-data.ts';
import { MINUTE } from '../../../domain/time.ts';
import { marketTally } from '../../../infrastructure/metrics/market-figures.ts';
import { createMetrics } from '../../../infrastructure/metrics/metrics.ts';
import { LISTING } from '../../builders/prices.ts';

const BTC: Instrument = {
  market: 'crypto',
  symbol: 'BTC',
  venue: 'KRAKEN',
  asset_class: 'spot',
  quote_currency: 'USD',
};
const series = { source: 'kraken', instrument: BTC, size: '1m', basis: 0 } as const;
const bar = (start: number) => ({
  ...{ start, end: start + MINUTE, open: 1, high: 1, low: 1, close: 1 },
  ...{ volume: 1, split: 1, total: 1 },
});

test('answers are counted by call, source and result, and are what they were', async () => {
  const tally = marketTally();
  const replies: (() => Promise<typeof LISTING | null>)[] = [
    async () => LISTING,
    async () => LISTING,
    async () => null,
    () => Promise.reject(new SourceUnavailable('down')),
    () => Promise.reject(new TypeError('ours')),
  ];
  const answer = { source: 'kraken', size: '1m', bars: [], dropped: 0 } as const;
  const source: MarketData = {
    coverage: async () => [],
    describe: () => (replies.shift() ?? replies[0] ?? (async () => null))(),
    bars: async () => answer,
  };
  const counted = tally.counted(source);
  expect([await counted.describe(BTC), await counted.describe(BTC), await counted.describe(BTC)]).toEqual([
    LISTING,
    LISTING,
    null,
  ]);
  await expect(counted.describe(BTC)).rejects.toThrow('down');
  await expect(counted.describe(BTC)).rejects.toThrow('ours');
  expect(await counted.bars(BTC, '1m', 0, 1, 2)).toBe(answer);
  expect(tally.answers()).toEqual([
    { labels: { call: 'describe', source: LISTING.source, result: 'found' }, count: 2 },
    { labels: { call: 'describe', source: 'none', result: 'unknown' }, count: 1 },
    { labels: { call: 'describe', source: 'none', result: 'unavailable' }, count: 1 },
    { labels: { call: 'describe', source: 'none', result: 'fault' }, count: 1 },
    { labels: { call: 'bars', source: 'kraken', result: 'found' }, count: 1 },
  ]);
});

test('bars are counted as they are fetched into the cache and as the cache returns them, and scraped', async () => {
  const tally = marketTally();
  const storage = openMemory();
  const cache = tally.countedCache(storage.barCache);
  await cache.keep(series, { from: 0, to: 3 * MINUTE, bars: [bar(0), bar(MINUTE), bar(2 * MINUTE)] });
  for (let i = 0; i < 2; i++) expect(await cache.find(series, 0, 3 * MINUTE)).toHaveLength(1);
  expect(await cache.prune(0)).toBe(0);
  const text = await createMetrics(storage, { market: tally }).text();
  expect(text).toContain('stancebook_market_bars_total{source="kraken",size="1m",origin="network"} 3');
  expect(text).toContain('stancebook_market_bars_total{source="kraken",size="1m",origin="cache"} 6');
});
