import { expect, test } from '@jest/globals';
import {
  packagedTickers,
  storedSymbols,
  symbolDirectory,
} from '../../../../adapters/market/symbols/current-symbols.ts';
import { normaliseInstrument } from '../../../../domain/market/instrument.ts';
import { normaliseSymbol } from '../../../../domain/market/symbol.ts';
import { TABLE_VENUES } from '../../../../domain/market/venues.ts';
import { manifest, temporaryStore } from '../bar-store.ts';

const { listed, past } = packagedTickers();
const packaged = symbolDirectory(listed, past);

test('knows the listed tickers, class and preferred shares in their one spelling', () => {
  for (const symbol of ['MSFT', 'AAPL', 'F', 'BRK.B', 'ABR.PRD', 'TSM', 'SPY'])
    expect(packaged.known(symbol)).toBe(true);
  for (const symbol of ['MSTF', 'msft', 'BRK/B', '', '__proto__', 'constructor'])
    expect(packaged.known(symbol)).toBe(false);
});

test('every packaged ticker can be submitted and is known then', () => {
  for (const symbol of [...listed, ...past]) {
    const sent = { market: 'stock', symbol, venue: 'NYSE', asset_class: 'spot', quote_currency: 'USD' };
    const instrument = normaliseInstrument(sent, TABLE_VENUES);
    expect(!Array.isArray(instrument) && packaged.known(instrument.symbol)).toBe(true);
  }
});

test('a packaged ticker that is the suffix of a venue elsewhere is itself', () => {
  const without = { market: 'stock', quote_currency: null } as const;
  for (const symbol of [...listed, ...past]) {
    const asNyse = normaliseSymbol(symbol, { ...without, venue: 'NYSE' });
    expect([normaliseSymbol(symbol, without), asNyse]).toEqual([symbol, symbol]);
  }
  const suffixes = ['T', 'DE', 'L', 'SW', 'AS', 'BR', 'AX', 'TW'];
  expect(
    suffixes.filter((symbol) => packaged.known(symbol) && packaged.beginning('stock', symbol, 1)[0] === symbol),
  ).toEqual(suffixes);
});

test('tickers that have left since 2022 are known, and not suggested', () => {
  expect(past.length).toBeGreaterThan(1_000);
  expect(past.filter((symbol) => listed.includes(symbol))).toEqual([]);
  expect(packaged.known('ATVI')).toBe(true);
  expect(packaged.nearest('ATVI', 20)).not.toContain('ATVI');
});

test('suggests what was meant', () => {
  expect(packaged.nearest('MSTF', 3)).toContain('MSFT');
  expect(packaged.nearest('APPL', 3)[0]).toBe('AAPL');
});

test('six digits are a well-formed code of SSE and SZSE', () => {
  expect(packaged.known('600000')).toBe(true);
  expect(packaged.known('60000')).toBe(false);
});

test('the bar store adds its stocks, and a store that is not there adds none', async () => {
  const store = await temporaryStore();
  await store.write('stock/NYSE/spot/SPX-USD/manifest.json', JSON.stringify(manifest));
  await store.write('stock/NYSE/spot/BRK.B-USD/manifest.json', JSON.stringify(manifest));
  await store.write('crypto/KRAKEN/spot/BTC-USD/manifest.json', JSON.stringify(manifest));
  await store.write('stock/MARS/spot/ABC-USD/manifest.json', JSON.stringify(manifest));
  await store.write('.staging-x/fresh/manifest.json', JSON.stringify(manifest));
  expect([...(await storedSymbols(store.folder)).stock].sort()).toEqual(['BRK.B', 'SPX']);
  expect(await storedSymbols(`${store.folder}/nowhere`)).toEqual({ stock: [], crypto: [] });
  await store.remove();
});
