import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { importPackagedData } from '../../adapters/market/files/packaged-data.ts';
import { readConfig } from '../../infrastructure/config/config.ts';
import { marketLines } from '../../infrastructure/served-markets.ts';

const folder = mkdtempSync(join(tmpdir(), 'stancebook-markets-'));
beforeAll(async () => {
  await importPackagedData(join(folder, 'bars'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const linesWith = (env: NodeJS.ProcessEnv) => marketLines(readConfig({ DATA_DIR: folder, ...env }).marketData);

test('a default installation: packaged stocks without a live source, and the exchanges', async () => {
  expect(await linesWith({})).toEqual([
    'US stocks: bar files until 2014-08-08 (MSFT, TXN) and until 2020-04-17 (SPX), no live source; set MARKET_DATA_STOCKS',
    'Stocks of other venues: bar files until 2024-09-19 (600000), no live source; set MARKET_DATA_STOCKS, or load bars with npm run admin -- import-bars',
    'Crypto: live from BINANCE, COINBASE, KRAKEN, BYBIT, OKX; bar files until 2017-07-03 (BTC)',
  ]);
});

test('without the network no source is live', async () => {
  const [us, , crypto] = await linesWith({ MARKET_DATA_NETWORK: 'false', MARKET_DATA_STOCKS: 'yahoo,files' });
  expect(us).toMatch(/, no live source; set MARKET_DATA_NETWORK=true$/);
  expect(crypto).toMatch(/, no live source; set MARKET_DATA_NETWORK=true$/);
});

test('the configured sources are named', async () => {
  const [us, others, crypto] = await linesWith({
    MARKET_DATA_STOCKS: 'massive,yahoo,files',
    MARKET_DATA_MASSIVE_KEY: 'key-of-the-test',
    MARKET_DATA_CRYPTO: 'COINBASE:files,KRAKEN:kraken+coinbase',
    MARKET_DATA_CCXT_VENUES: 'GATE',
  });
  expect(us).toMatch(/^US stocks: live from massive, yahoo; bar files until /);
  expect(others).toMatch(/^Stocks of other venues: live from yahoo; bar files until /);
  expect(crypto).toMatch(/^Crypto: live from kraken or coinbase for KRAKEN, GATE through ccxt; bar files until /);
});

test('an empty folder', async () => {
  const [us] = await linesWith({ MARKET_DATA_BARS_DIR: join(folder, 'none') });
  expect(us).toBe('US stocks: no bar files, no live source; set MARKET_DATA_STOCKS');
});
