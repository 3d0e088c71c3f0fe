import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { folderNames } from '../../../../adapters/market/files/bar-files.ts';
import { instrumentPath, instrumentsIn } from '../../../../adapters/market/files/bar-folder.ts';
import { SECOND } from '../../../../domain/time.ts';
import { manifest, type TemporaryStore, temporaryStore } from '../bar-store.ts';

let store: TemporaryStore;
beforeEach(async () => {
  store = await temporaryStore();
  await store.write('spot/BTC-USD/manifest.json', '{}');
});
afterEach(() => store.remove());

test('returns the names in a folder, and none of a folder that is absent or a file', async () => {
  const names = folderNames();
  expect(await names(join(store.folder, 'spot'))).toEqual(new Set(['BTC-USD']));
  expect(await names(join(store.folder, 'perp'))).toEqual(new Set());
  expect(await names(join(store.folder, 'spot/BTC-USD/manifest.json'))).toEqual(new Set());
});

test('notices a change after a second, and not before', async () => {
  let now = 0;
  const names = folderNames(() => now);
  const spot = join(store.folder, 'spot');
  await names(spot);
  await store.write('spot/ETH-USD/manifest.json', '{}');
  now = SECOND - 1;
  expect(await names(spot)).toEqual(new Set(['BTC-USD']));
  now = SECOND;
  expect(await names(spot)).toEqual(new Set(['BTC-USD', 'ETH-USD']));
});

test('a folder that cannot be read proves nothing', async () => {
  expect(await folderNames()('\0')).toBeNull();
});

test.each([
  ['NSE', 'M&M.NS', 'INR'],
  ['NSE', 'BAJAJ-AUTO.NS', 'INR'],
  ['LSE', 'BT.A.L', 'GBX'],
  ['NASDAQ', 'FB~2', 'USD'],
  ['SSE', '000001.SS', 'CNY'],
])('an instrument of the store is found by its folder: %s %s', async (venue, symbol, quote_currency) => {
  const instrument = { market: 'stock', symbol, venue, asset_class: 'spot', quote_currency } as const;
  await store.write(`${instrumentPath(instrument)}/manifest.json`, JSON.stringify(manifest));
  expect(await instrumentsIn(store.folder)).toContainEqual(instrument);
});
