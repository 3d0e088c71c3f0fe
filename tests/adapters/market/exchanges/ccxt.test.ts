import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ccxtVenue, loadCcxt } from '../../../../adapters/market/exchanges/ccxt.ts';
import { type Instrument, normaliseInstrument } from '../../../../domain/market/instrument.ts';
import { OutOfReach } from '../../../../domain/market/market-data.ts';
import { venuesWith } from '../../../../domain/market/venues.ts';
import { HOUR, MINUTE, SECOND } from '../../../../domain/time.ts';
import { standInLibrary, type UnifiedServer, unifiedServer } from '../../../harness/exchanges/ccxt-stand-in.ts';
import { priceAt } from '../../../harness/exchanges/made-series.ts';
import { testTools } from '../../../harness/exchanges/source-tools.ts';
import { LISTED, NOW, seriesOf } from './promises.ts';

const BTC: Instrument = {
  market: 'crypto',
  symbol: 'BTC',
  venue: 'GATE',
  asset_class: 'spot',
  quote_currency: 'USDT',
};
const SPOT = { base: 'BTC', quote: 'USDT', spot: true, active: true, created: LISTED };
const HOUR_AGO = Math.floor(NOW / HOUR) * HOUR - HOUR;

let server: UnifiedServer;
beforeEach(async () => {
  server = await unifiedServer(seriesOf());
  server.markets.set('BTC/USDT', SPOT);
});
afterEach(() => server.close());

function open(venue = 'GATE', load = async () => standInLibrary(server)) {
  const tools = testTools(NOW);
  const { sources, health } = ccxtVenue(venue, tools, load);
  const [spot, perp] = sources;
  if (!spot || !perp) throw new Error('There are two asset classes');
  return { tools, health, spot, perp };
}

test('describes what its exchange lists, under its own name', async () => {
  const { spot } = open();
  expect(await spot.describe(BTC)).toMatchObject({ source: 'ccxt-gate', history_from: LISTED, delisted_at: null });
  expect(await spot.describe({ ...BTC, symbol: 'NOSUCH' })).toBeNull();
});

test('bars of a long window come page by page, each once', async () => {
  const { spot } = open();
  const from = HOUR_AGO - 3 * HOUR;
  const { bars, dropped } = await spot.bars(BTC, '1m', from, from + 4 * HOUR, NOW);
  expect(bars.map(({ start }) => (start - from) / MINUTE)).toEqual(Array.from({ length: 240 }, (_, i) => i));
  expect(bars[0]?.open).toBeCloseTo(priceAt(from), 6);
  expect(server.asked.filter((path) => path.startsWith('/candles'))).toHaveLength(3);
  expect(dropped).toBe(0);
});

test('a row that cannot be a price is dropped and counted', async () => {
  server.series.wrong.set(HOUR_AGO + MINUTE, { low: '0' });
  const { bars, dropped } = await open().spot.bars(BTC, '1m', HOUR_AGO, HOUR_AGO + 3 * MINUTE, NOW);
  expect(bars.map(({ start }) => (start - HOUR_AGO) / MINUTE)).toEqual([0, 2]);
  expect(dropped).toBe(1);
});

test('perpetuals are linear swaps, and no spot pair is one', async () => {
  const { spot, perp } = open();
  const contract = { ...BTC, asset_class: 'perp' } as const;
  expect(await perp.describe(contract)).toBeNull();
  server.markets.set('BTC/USDT:USDT', { ...SPOT, spot: false, swap: true, linear: false });
  expect(await open().perp.describe(contract)).toBeNull();
  server.markets.set('BTC/USDT:USDT', { ...SPOT, spot: false, swap: true, linear: true });
  expect(await open().perp.describe(contract)).toMatchObject({ source: 'ccxt-gate' });
  expect(await spot.describe(contract)).toBeNull();
});

test.each([
  ['HYPERLIQUID', 'hyperliquid'],
  ['COINBASEINTL', 'coinbaseinternational'],
])('%s has perpetuals in USDC, under the id %s', async (venue, id) => {
  const contract = { ...BTC, venue, asset_class: 'perp', quote_currency: 'USDC' } as const;
  expect(normaliseInstrument(contract, venuesWith([venue]))).toEqual(contract);
  const library = standInLibrary(server);
  const { perp } = open(venue, async () => ({ ...library, exchanges: [id], [id]: library.gate }));
  expect(await perp.describe(contract)).toBeNull();
  server.markets.set('BTC/USDC:USDC', { base: 'BTC', quote: 'USDC', swap: true, linear: true, active: true });
  const opened = open(venue, async () => ({ ...library, exchanges: [id], [id]: library.gate }));
  expect(await opened.perp.describe(contract)).toMatchObject({ source: `ccxt-${venue.toLowerCase()}` });
  const { bars } = await opened.perp.bars(contract, '1m', HOUR_AGO, HOUR_AGO + 3 * MINUTE, NOW);
  expect(bars.map(({ open: price }) => price.toFixed(6))).toEqual(
    [0, 1, 2].map((minute) => priceAt(HOUR_AGO + minute * MINUTE).toFixed(6)),
  );
  expect(server.asked.at(-1)).toContain('symbol=BTC%2FUSDC%3AUSDC');
});

test('Hyperliquid has the newest 5,000 bars of each size, over many pages', async () => {
  const library = standInLibrary(server);
  const { perp, tools } = open('HYPERLIQUID', async () => ({
    ...{ ...library, exchanges: ['hyperliquid'], hyperliquid: library.gate },
  }));
  server.markets.set('BTC/USDC:USDC', { base: 'BTC', quote: 'USDC', swap: true, linear: true, active: true });
  const contract = { ...BTC, venue: 'HYPERLIQUID', asset_class: 'perp', quote_currency: 'USDC' } as const;
  const [covered] = await perp.coverage(contract, NOW);
  const oldest = Math.floor(NOW / MINUTE) * MINUTE - 4_999 * MINUTE;
  expect(covered?.spans['1m']?.from).toBe(oldest);
  const asked = server.asked.length;
  const older = perp.bars(contract, '1m', oldest - MINUTE, oldest + HOUR, NOW);
  await expect(older).rejects.toMatchObject({
    constructor: OutOfReach,
    message: expect.stringContaining('has the newest 5000 bars of 1m only'),
  });
  expect(server.asked).toHaveLength(asked);
  expect((await perp.bars(contract, '1m', oldest, oldest + 5 * HOUR, NOW)).bars).toHaveLength(300);
  expect(tools.logged).toEqual([]);
});

test('the list of markets is asked for once in an hour', async () => {
  const { spot, tools } = open();
  await spot.describe(BTC);
  server.markets.set('ETH/USDT', { ...SPOT, base: 'ETH' });
  expect(await spot.describe({ ...BTC, symbol: 'ETH' })).toBeNull();
  tools.advance(HOUR + SECOND);
  expect(await spot.describe({ ...BTC, symbol: 'ETH' })).not.toBeNull();
});

test('a failure of the library counts as an exchange that gives no answer, and is reported without addresses', async () => {
  const { spot, tools, health } = open();
  server.faults.push({ kind: 'status', status: 429 });
  await expect(spot.describe(BTC)).rejects.toMatchObject({
    name: 'SourceUnavailable',
    message: 'ccxt-gate gave no answer: ExchangeNotAvailable (crypto:BTC:GATE:spot:USDT)',
  });
  expect(JSON.stringify(tools.logged)).not.toContain(server.url);
  const last_error = 'gave no answer: ExchangeNotAvailable';
  expect(health()).toMatchObject({ source: 'ccxt-gate', state: 'failing', failures: 1, last_error });
  expect(await spot.describe(BTC)).not.toBeNull();
});

test('after five failures in a row it is paused for half a minute', async () => {
  const { spot, tools } = open();
  for (let i = 0; i < 5; i++) {
    server.faults.push({ kind: 'half_closed' });
    await expect(spot.describe(BTC)).rejects.toMatchObject({ name: 'SourceUnavailable' });
  }
  const requests = server.asked.length;
  await expect(spot.describe(BTC)).rejects.toThrow('ccxt-gate is paused after failures');
  expect(server.asked).toHaveLength(requests);
  tools.advance(30 * SECOND);
  expect(await spot.describe(BTC)).not.toBeNull();
});

test.each(['{"rows":1}', '[[]]', 'null'])('is unavailable when its bars are %s', async (text) => {
  const { spot } = open();
  await spot.describe(BTC);
  server.faults.push({ kind: 'text', text });
  await expect(spot.bars(BTC, '1m', HOUR_AGO, HOUR_AGO + HOUR, NOW)).rejects.toMatchObject({
    name: 'SourceUnavailable',
  });
});

test('the library is loaded when prices are asked for, not before, and once', async () => {
  let loaded = 0;
  const { spot, perp } = open('GATE', async () => {
    loaded += 1;
    return standInLibrary(server);
  });
  expect(loaded).toBe(0);
  await Promise.all([spot.describe(BTC), spot.describe(BTC), perp.describe({ ...BTC, asset_class: 'perp' })]);
  expect(loaded).toBe(1);
});

test('what ccxt does not know, or has no bars of, is unavailable', async () => {
  await expect(open('NOSUCH').spot.describe(BTC)).rejects.toThrow('ccxt has no exchange nosuch');
  await expect(open('NOBARS').spot.describe(BTC)).rejects.toThrow('ccxt has no bars of nobars');
});

test('without the package it says how to add it, and looks again later', async () => {
  let installed = false;
  const load = async () => (installed ? standInLibrary(server) : loadCcxt('a-package-that-nobody-has-installed'));
  const { spot } = open('GATE', load);
  await expect(spot.describe(BTC)).rejects.toMatchObject({
    name: 'SourceUnavailable',
    message: 'ccxt is not installed: npm install --no-save --ignore-scripts ccxt@4',
  });
  installed = true;
  expect(await spot.describe(BTC)).not.toBeNull();
});

test('a fault of ours is none of the exchange', async () => {
  const broken = { ...standInLibrary(server), BaseError: RangeError };
  server.faults.push({ kind: 'reset' });
  await expect(open('GATE', async () => broken).spot.describe(BTC)).rejects.not.toMatchObject({
    name: 'SourceUnavailable',
  });
});

test.each(['COINEX', 'GEMINI', 'P2B', 'PHEMEX', 'WEEX'])(
  '%s takes no start, so only its newest bars are promised',
  async (venue) => {
    const library = standInLibrary(server);
    const id = venue.toLowerCase();
    const { spot, tools } = open(venue, async () => ({ ...library, exchanges: [id], [id]: library.gate }));
    const coin = { ...BTC, venue };
    const [span] = (await spot.coverage(coin, NOW)).map(({ spans }) => spans['1h']);
    expect(span?.from).toBe(Math.floor(NOW / HOUR) * HOUR - 99 * HOUR);
    expect(await spot.describe(coin)).toMatchObject({ delisted_at: null });
    const asked = server.asked.length;
    const older = HOUR_AGO - 120 * HOUR;
    await expect(spot.bars(coin, '1h', older, older + HOUR, NOW)).rejects.toMatchObject({ constructor: OutOfReach });
    expect(server.asked).toHaveLength(asked);
    expect(tools.logged).toEqual([]);
    expect((await spot.bars(coin, '1h', HOUR_AGO - 2 * HOUR, HOUR_AGO, NOW)).bars).toHaveLength(2);
  },
);

test('the contracts of Phemex have bars since their listing', async () => {
  const { perp } = open('PHEMEX');
  const [source] = await perp.coverage({ ...BTC, venue: 'PHEMEX', asset_class: 'perp' }, NOW);
  expect(source?.spans['1h']?.from).toBe(Number.NEGATIVE_INFINITY);
});
