import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { DAY, MINUTE } from '../../../../domain/time.ts';
import { runCommand } from '../../../../infrastructure/commands/run-command.ts';
import { type OpenedDatabase, onPostgres } from '../../../contracts/decisions/adapters.ts';

import { type BybitServer, bybitServer } from '../../../harness/exchanges/bybit-server.ts';
import type { FaultServer } from '../../../harness/exchanges/fault-server.ts';
import { type KrakenServer, krakenServer } from '../../../harness/exchanges/kraken-server.ts';
import type { MadeSeries } from '../../../harness/exchanges/made-series.ts';
import { pegServer } from '../../../harness/exchanges/peg-server.ts';
import { type AlpacaServer, alpacaServer, KEYS } from '../../../harness/stocks/alpaca-server.ts';
import { madeStock } from '../../../harness/stocks/made-stock.ts';

let opened: OpenedDatabase;
let folder: string;
let kraken: KrakenServer;
let bybit: BybitServer;
let alpaca: AlpacaServer;
let pegs: FaultServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stancebook-probe-'));
  opened = await onPostgres(2);
  kraken = await krakenServer();
  bybit = await bybitServer();
  alpaca = await alpacaServer();
  pegs = await pegServer(() => ({ last: 1, bid: 1, ask: 1, at: new Date(Date.now() - MINUTE) }));
});
afterAll(async () => {
  for (const server of [kraken, bybit, alpaca, pegs]) await server.close();
  await opened.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  const now = Date.now();
  const series: MadeSeries = {
    since: now - DAY,
    now,
    quiet: new Set(),
    wrong: new Map(),
    until: Number.POSITIVE_INFINITY,
  };
  kraken.pairs.set('XBTUSD', series);
  bybit.symbols.set('spot BTCUSDT', { base: 'BTC', quote: 'USDT', status: 'Trading', series });
  bybit.symbols.set('linear BTCUSDT', { base: 'BTC', quote: 'USDT', status: 'Trading', series });
  alpaca.stocks.set('AAPL', madeStock(now - 30 * DAY, now));
});

async function probe(env: Readonly<Record<string, string>> = {}, ...args: readonly string[]) {
  const secret = 'a secret of the tests, long enough for them';
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const environment = {
    ...{ DATABASE_URL: opened.serviceUrl, SESSION_SECRET: secret, PASSWORD_PEPPER: secret, DATA_DIR: folder },
    ...{ MARKET_DATA_CRYPTO: 'KRAKEN:kraken+files,BYBIT:bybit+kraken', CIRCUIT_MONITOR: 'false' },
    ...{ MARKET_DATA_KRAKEN_URL: kraken.url, MARKET_DATA_BYBIT_URL: bybit.url },
    ...{ MARKET_DATA_ALPACA_URL: alpaca.url, MARKET_DATA_ALPACA_KEY: KEYS.key, MARKET_DATA_ALPACA_SECRET: KEYS.secret },
    ...env,
  };
  const code = await runCommand(['probe-sources', ...args], environment, { print, complain: print });
  return { code, output: lines.join('\n') };
}

const cells = (output: string) => output.split('\n').map((line) => line.split(/ {2,}/));

test('each source is sent one request, and the newest bar and the latency are shown', async () => {
  const { code, output } = await probe({ MARKET_DATA_STOCKS: 'alpaca,files' });
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z$/);
  const ms = expect.stringMatching(/^\d+$/);
  expect(cells(output).slice(2)).toEqual([
    ['kraken', 'crypto:BTC:KRAKEN:spot:USD', 'ok', ms, time],
    ['bybit', 'crypto:BTC:BYBIT:spot:USDT', 'ok', ms, time],
    ['bybit', 'crypto:BTC:BYBIT:perp:USDT', 'ok', ms, time],
    ['alpaca', 'stock:AAPL:NASDAQ:spot:USD', 'ok', ms, time],
  ]);
  expect([code, kraken.asked.length, bybit.asked.length, alpaca.asked.length]).toEqual([0, 1, 2, 1]);
});

test('a source that fails is exit code 1, with its error and without the key', async () => {
  const { code, output } = await probe(
    { MARKET_DATA_STOCKS: 'alpaca', MARKET_DATA_ALPACA_SECRET: 'canary-wrong' },
    '--json',
  );
  const { network, sources } = JSON.parse(output);
  expect([code, network]).toEqual([1, true]);
  expect(sources).toMatchObject([
    { source: 'kraken', ok: true, newest: expect.stringMatching(/:00.000Z$/), error: null },
    { source: 'bybit', ok: true },
    { source: 'bybit', ok: true },
    { source: 'alpaca', ok: false, newest: null, error: 'alpaca answered 403 (stock:AAPL:NASDAQ:spot:USD)' },
  ]);
  expect(sources[3].latency_ms).toBeGreaterThanOrEqual(0);
  expect(output).not.toMatch(/canary|AKTEST/);
});

test('a reply without prices and a venue whose package is missing are failures too', async () => {
  kraken.pairs.set('XBTUSD', { ...kraken.pairs.get('XBTUSD'), since: Date.now() + DAY } as MadeSeries);
  const { code, output } = await probe({ MARKET_DATA_CRYPTO: 'KRAKEN:kraken', MARKET_DATA_CCXT_VENUES: 'GATE' });
  expect([code, output]).toEqual([1, expect.stringContaining('The reply contains no price.')]);
  expect(output).toContain('ccxt is not installed');
});

test('the exchanges that observe stablecoins are probed where the monitor runs', async () => {
  const urls = { MARKET_DATA_COINBASE_URL: pegs.url, CIRCUIT_BITSTAMP_URL: pegs.url, CIRCUIT_GEMINI_URL: pegs.url };
  const own = { MARKET_DATA_CRYPTO: 'BYBIT:bybit', MARKET_DATA_KRAKEN_URL: pegs.url, CIRCUIT_MONITOR: 'true', ...urls };
  const { code, output } = await probe(own);
  expect(
    cells(output)
      .slice(4)
      .map(([source, subject, result]) => [source, subject, result]),
  ).toEqual([
    ['peg-kraken', 'USDT', 'ok'],
    ['peg-coinbase', 'USDT', 'ok'],
    ['peg-bitstamp', 'USDT', 'ok'],
    ['peg-gemini', 'USDC', 'ok'],
  ]);
  expect(code).toBe(0);
});

test('without the network no request is sent', async () => {
  const before = kraken.asked.length;
  const { code, output } = await probe({ MARKET_DATA_NETWORK: 'false' });
  expect([code, output]).toEqual([0, 'The service calls no source on the network (MARKET_DATA_NETWORK=false).']);
  expect(kraken.asked).toHaveLength(before);
  expect((await probe({}, 'anything')).code).toBe(2);
});
