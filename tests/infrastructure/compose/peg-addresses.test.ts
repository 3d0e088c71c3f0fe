import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { openMarketData } from '../../../infrastructure/compose/market-sources.ts';
import { readConfig } from '../../../infrastructure/config/config.ts';
import { testTools } from '../../harness/exchanges/source-tools.ts';

const DATA_DIR = mkdtempSync(join(tmpdir(), 'stancebook-pegs-'));
afterAll(() => rmSync(DATA_DIR, { recursive: true }));

const { marketData: own } = readConfig({
  DATA_DIR,
  MARKET_DATA_KRAKEN_URL: 'http://kraken.example/',
  CIRCUIT_GEMINI_URL: 'https://mirror.example/gemini/',
});

test('Kraken and Coinbase where market data asks them, Bitstamp and Gemini at addresses of their own', () => {
  expect(own.pegs).toEqual({
    kraken: 'http://kraken.example',
    coinbase: 'https://api.exchange.coinbase.com',
    bitstamp: 'https://www.bitstamp.net',
    gemini: 'https://mirror.example/gemini',
  });
});

test.each([{ MARKET_DATA_NETWORK: 'false' }, { CIRCUIT_MONITOR: 'false' }])('with %j nobody is asked', (env) => {
  const { marketData } = readConfig({ DATA_DIR, ...env });
  expect(marketData.pegs).toBeNull();
  const { pegSource, health } = openMarketData(marketData, testTools(0).log);
  expect([pegSource, health().filter(({ source }) => source.startsWith('peg-'))]).toEqual([null, []]);
});
