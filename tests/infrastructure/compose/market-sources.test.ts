import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openMemory } from '../../../adapters/memory/storage.ts';
import type { BarCache } from '../../../domain/market/bar-cache.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { DAY, HOUR, MINUTE } from '../../../domain/time.ts';
import { openMarketData, SYSTEM_TIMING } from '../../../infrastructure/compose/market-sources.ts';
import { readConfig } from '../../../infrastructure/config/config.ts';
import { manifest, type TemporaryStore, temporaryStore } from '../../adapters/market/bar-store.ts';
import { binanceServer } from '../../harness/exchanges/binance-server.ts';
import { bybitServer } from '../../harness/exchanges/bybit-server.ts';
import { coinbaseServer } from '../../harness/exchanges/coinbase-server.ts';
import type { FaultServer } from '../../harness/exchanges/fault-server.ts';
import { krakenServer } from '../../harness/exchanges/kraken-server.ts';
import type { MadeSeries } from '../../harness/exchanges/made-series.ts';
import { okxServer } from '../../harness/exchanges/okx-server.ts';
import { testTools } from '../../harness/exchanges/source-tools.ts';

const NOW = Date.UTC(2026, 2, 2, 12, 34, 56);
const btcAt = (venue: string, quote_currency: string, asset_class: Instrument['asset_class'] = 'spot'): Instrument => ({
  market: 'crypto',
  symbol: 'BTC',
  venue,
  asset_class,
  quote_currency,
});

let DATA_DIR: string;
let servers: Awaited<ReturnType<typeof fiveServers>>;
beforeEach(async () => {
  DATA_DIR = mkdtempSync(join(tmpdir(), 'stancebook-market-'));
  servers = await fiveServers();
});
afterEach(async () => {
  for (const server of Object.values(servers)) await server.close();
  rmSync(DATA_DIR, { recursive: true, force: true });
});

async function fiveServers() {
  return {
    binance: await binanceServer(),
    coinbase: await coinbaseServer(),
    kraken: await krakenServer(),
    bybit: await bybitServer(),
    okx: await okxServer(),
  };
}

const series = (): MadeSeries => ({
  since: NOW - 900 * DAY,
  until: Number.POSITIVE_INFINITY,
  now: NOW,
  quiet: new Set(),
  wrong: new Map(),
});

/** Bitcoin on every exchange, and the sources before them. */
function opened(env: NodeJS.ProcessEnv = {}, cache: BarCache | null = null) {
  const { binance, coinbase, kraken, bybit, okx } = servers;
  binance.pairs.set('BTCUSDT', { base: 'BTC', quote: 'USDT', status: 'TRADING', series: series() });
  coinbase.products.set('BTC-USD', { status: 'online', series: series() });
  kraken.pairs.set('XBTUSD', series());
  bybit.symbols.set('spot BTCUSDT', { base: 'BTC', quote: 'USDT', status: 'Trading', series: series() });
  bybit.symbols.set('linear BTCUSDT', { base: 'BTC', quote: 'USDT', status: 'Trading', series: series() });
  okx.instruments.set('BTC-USDT', { state: 'live', series: series() });
  okx.instruments.set('BTC-USDT-SWAP', { state: 'live', series: series() });
  const tools = testTools(NOW);
  const config = readConfig({
    DATA_DIR,
    MARKET_DATA_BINANCE_URL: binance.url,
    MARKET_DATA_BINANCE_FUTURES_URL: binance.url,
    MARKET_DATA_COINBASE_URL: `${coinbase.url}/`,
    MARKET_DATA_KRAKEN_URL: kraken.url,
    MARKET_DATA_BYBIT_URL: bybit.url,
    MARKET_DATA_OKX_URL: okx.url,
    ...env,
  });
  return { tools, ...openMarketData(config.marketData, tools.log, tools.timing, cache) };
}

const requestsTo = (among: readonly FaultServer[]) => among.flatMap((server) => server.asked);

test.each([
  ['BINANCE', 'USDT', 'spot', 'binance'],
  ['BINANCE', 'USDT', 'perp', 'binance-futures'],
  ['COINBASE', 'USD', 'spot', 'coinbase'],
  ['KRAKEN', 'USD', 'spot', 'kraken'],
  ['BYBIT', 'USDT', 'spot', 'bybit'],
  ['BYBIT', 'USDT', 'perp', 'bybit'],
  ['OKX', 'USDT', 'spot', 'okx'],
  ['OKX', 'USDT', 'perp', 'okx'],
] as const)('%s in %s, %s, has its prices from %s', async (venue, quote, asset_class, source) => {
  const { marketData } = opened();
  const instrument = btcAt(venue, quote, asset_class);
  expect(await marketData.describe(instrument)).toMatchObject({ source, delisted_at: null });
  const bars = await marketData.bars(instrument, '1m', NOW - HOUR, NOW, NOW);
  expect([bars.source, bars.bars.length]).toEqual([source, 59]);
  const { [source === 'binance-futures' ? 'binance' : source]: own, ...others } = servers;
  expect(own?.asked.length).toBeGreaterThan(1);
  expect(requestsTo(Object.values(others))).toEqual([]);
});

test('the clock of the sources counts whole milliseconds, because some of them end up in the address of a request', () => {
  for (let i = 0; i < 20; i++) expect(Number.isInteger(SYSTEM_TIMING.now())).toBe(true);
});

test('settled bars are fetched once by all processes of one storage', async () => {
  const { barCache } = openMemory();
  const [one, other] = [opened({}, barCache).marketData, opened({}, barCache).marketData];
  const btc = btcAt('BINANCE', 'USDT');
  const first = await one.bars(btc, '1m', NOW - HOUR, NOW, NOW);
  expect(await other.describe(btc)).not.toBeNull();
  const before = servers.binance.asked.length;
  expect(await other.bars(btc, '1m', NOW - HOUR, NOW, NOW)).toEqual(first);
  expect(servers.binance.asked).toHaveLength(before);
  // From 11:35 to the last bar that had ended two minutes before 12:34:56.
  expect(first.bars).toHaveLength(57);
  const perp = await other.bars(btcAt('BINANCE', 'USDT', 'perp'), '1m', NOW - HOUR, NOW, NOW);
  expect(perp).toMatchObject({ source: 'binance-futures' });
});

test('without the network no source is asked', async () => {
  const { marketData, health } = opened({ MARKET_DATA_NETWORK: 'false' });
  expect(await marketData.describe(btcAt('BINANCE', 'USDT'))).toBeNull();
  expect(requestsTo(Object.values(servers))).toEqual([]);
  expect(health()).toEqual([]);
});

describe('an instrument that is in the bar store too', () => {
  const bitcoin = btcAt('COINBASE', 'USD');
  let store: TemporaryStore;
  beforeEach(async () => {
    store = await temporaryStore();
    await store.write('crypto/COINBASE/spot/BTC-USD/manifest.json', JSON.stringify(manifest));
  });
  afterEach(() => store.remove());

  test.each([
    ['from its exchange', {}, 'coinbase'],
    ['from the files where the network is off', { MARKET_DATA_NETWORK: 'false' }, 'bar-files'],
    ['from the files where its venue is left out', { MARKET_DATA_CRYPTO: 'BINANCE:binance' }, 'bar-files'],
    [
      'from the files where they are configured to come first',
      { MARKET_DATA_CRYPTO: 'COINBASE:files+coinbase' },
      'bar-files',
    ],
  ])('has its prices %s', async (_, env, source) => {
    const { marketData } = opened({ MARKET_DATA_BARS_DIR: store.folder, ...env });
    expect(await marketData.describe(bitcoin)).toMatchObject({ source });
  });

  test.each([
    [{ MARKET_DATA_CRYPTO: 'COINBASE:binance+coinbase' }, ['binance', 'coinbase', 'bar-files']],
    [{ MARKET_DATA_CRYPTO: 'COINBASE:files+coinbase' }, ['bar-files', 'coinbase']],
    [{ MARKET_DATA_NETWORK: 'false' }, ['bar-files']],
  ])('with %j is compared between all its sources, past the cache', async (env, names) => {
    const { sourcesOf } = opened({ MARKET_DATA_BARS_DIR: store.folder, ...env }, openMemory().barCache);
    const sources = sourcesOf(bitcoin);
    const coverage = await Promise.all(sources.map((source) => source.coverage(bitcoin, NOW)));
    const found = coverage.map(([covered]) => covered?.source);
    expect(found.filter((name) => name !== undefined)).toEqual(names);
    const coinbase = sources[found.indexOf('coinbase')];
    for (const _ of names) await coinbase?.bars(bitcoin, '1m', NOW - HOUR, NOW - 10 * MINUTE, NOW);
    expect(servers.coinbase.asked).toHaveLength(coinbase ? names.length : 0);
  });

  test('does not change the source of others', async () => {
    const { marketData } = opened({ MARKET_DATA_CRYPTO: 'BINANCE:files+binance' });
    expect(await marketData.describe(btcAt('BINANCE', 'USDT'))).toMatchObject({ source: 'binance' });
  });
});

describe('a window that Kraken does not reach any more', () => {
  const from = NOW - 3 * DAY;

  test('is unavailable where there is no other source', async () => {
    const { marketData } = opened();
    for (let i = 0; i < 2; i++) {
      const window = marketData.bars(btcAt('KRAKEN', 'USD'), '1m', from, from + HOUR, NOW);
      await expect(window).rejects.toThrow('kraken has the newest 720 bars of 1m only');
    }
  });

  test('is served by the other source at the next try and from then on', async () => {
    const { marketData, tools } = opened({ MARKET_DATA_CRYPTO: 'KRAKEN:kraken+coinbase' });
    const kraken = btcAt('KRAKEN', 'USD');
    const window = () => marketData.bars(kraken, '1m', from, from + HOUR, NOW);
    expect((await marketData.bars(kraken, '1d', NOW - 30 * DAY, NOW, NOW)).source).toBe('kraken');
    await expect(window()).rejects.toThrow('kraken has the newest 720 bars');
    tools.advance(5 * MINUTE);
    expect((await marketData.bars(kraken, '1d', NOW - 30 * DAY, NOW, NOW)).source).toBe('coinbase');
    expect((await window()).source).toBe('coinbase');
  });
});

test('the health of every source can be seen', async () => {
  const { marketData, health } = opened();
  servers.binance.faults.push(...Array.from({ length: 5 }, () => ({ kind: 'status', status: 500 }) as const));
  await expect(marketData.describe(btcAt('BINANCE', 'USDT'))).rejects.toThrow('binance answered 500');
  await expect(marketData.describe(btcAt('BINANCE', 'USDT'))).rejects.toThrow('binance answered 500');
  await marketData.describe(btcAt('OKX', 'USDT'));
  const states = health().map(({ source, state }) => `${source} ${state}`);
  expect(states.toSorted()).toEqual([
    'binance paused',
    'binance-futures never asked',
    'bybit never asked',
    'coinbase never asked',
    'kraken never asked',
    'okx healthy',
    'peg-bitstamp never asked',
    'peg-coinbase never asked',
    'peg-gemini never asked',
    'peg-kraken never asked',
  ]);
});
