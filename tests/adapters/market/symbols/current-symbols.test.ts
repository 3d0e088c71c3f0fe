import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { currentSymbols } from '../../../../adapters/market/symbols/current-symbols.ts';
import { openMemory } from '../../../../adapters/memory/storage.ts';
import type { SymbolFile } from '../../../../domain/market/symbol-directory.ts';
import { manifest, type TemporaryStore, temporaryStore } from '../bar-store.ts';

let bars: TemporaryStore;
let storage: ReturnType<typeof openMemory>;
beforeEach(async () => {
  bars = await temporaryStore();
  storage = openMemory();
});
afterEach(() => bars.remove());

const file = (...symbols: string[]): readonly SymbolFile[] => [
  { name: 'nasdaqlisted', created_at: new Date('2026-01-30T12:00:00Z'), symbols },
];

test('until something was fetched the packaged tickers are known and suggested', async () => {
  const symbols = currentSymbols(bars.folder, storage.listedSymbols, { listed: ['OLDCO'], past: [] });
  expect([symbols.known('OLDCO'), symbols.nearest('OLDCA', 3)]).toEqual([true, ['OLDCO']]);
  await symbols.reload();
  expect([symbols.known('OLDCO'), symbols.nearest('OLDCA', 3)]).toEqual([true, ['OLDCO']]);
});

test('what was fetched is known after the next reload; then only what is listed is suggested', async () => {
  const symbols = currentSymbols(bars.folder, storage.listedSymbols, { listed: ['OLDCO'], past: [] });
  await storage.listedSymbols.replace(file('OLDCA', 'NEWCO'), new Date(1));
  expect(symbols.known('NEWCO')).toBe(false);
  await symbols.reload();
  expect(['NEWCO', 'OLDCO', 'OLDCA'].map((symbol) => symbols.known(symbol))).toEqual([true, true, true]);
  expect(symbols.nearest('OLDCC', 3)).toEqual(['OLDCA']);
});

test('a delisted ticker stays known and is suggested no more', async () => {
  const symbols = currentSymbols(bars.folder, storage.listedSymbols, { listed: [], past: [] });
  await storage.listedSymbols.replace(file('GONE', 'STAYS'), new Date(1));
  await symbols.reload();
  expect([symbols.nearest('GONG', 3), symbols.leftAt('GONE')]).toEqual([['GONE'], null]);
  await storage.listedSymbols.replace(file('STAYS'), new Date(2));
  await symbols.reload();
  expect([symbols.known('GONE'), symbols.nearest('GONG', 3)]).toEqual([true, []]);
  expect(['GONE', 'STAYS', 'NEVER'].map((symbol) => symbols.leftAt(symbol))).toEqual([2, null, null]);
  await storage.listedSymbols.replace(file('STAYS', 'GONE'), new Date(3));
  await symbols.reload();
  expect(symbols.leftAt('GONE')).toBeNull();
});

test('bars that were imported a moment ago make their ticker known at once, and its neighbours after a reload', async () => {
  const symbols = currentSymbols(bars.folder, storage.listedSymbols, { listed: [], past: [] });
  await bars.write('stock/NYSE/spot/MYCO-USD/manifest.json', JSON.stringify(manifest));
  expect(['MYCO', 'YOURCO', '../NYSE', ''].map((symbol) => symbols.known(symbol))).toEqual([true, false, false, false]);
  expect(symbols.beginning('stock', 'MYC', 3)).toEqual([]);
  await symbols.reload();
  expect(symbols.beginning('stock', 'MYC', 3)).toEqual(['MYCO']);
});

test('what cannot be read leaves the directory as it was, and is read again', async () => {
  const fault = new Error('the database is down');
  let down = false;
  const store = { ...storage.listedSymbols, all: () => (down ? Promise.reject(fault) : storage.listedSymbols.all()) };
  const symbols = currentSymbols(bars.folder, store, { listed: ['OLDCO'], past: [] });
  await storage.listedSymbols.replace(file('NEWCO'), new Date(1));
  down = true;
  await expect(symbols.reload()).rejects.toBe(fault);
  expect(symbols.known('OLDCO')).toBe(true);
  down = false;
  await symbols.reload();
  expect(symbols.known('NEWCO')).toBe(true);
});
