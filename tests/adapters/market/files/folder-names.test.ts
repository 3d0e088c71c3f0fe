import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { folderNames } from '../../../../adapters/market/files/bar-files.ts';
import { SECOND } from '../../../../domain/time.ts';
import { type TemporaryStore, temporaryStore } from '../bar-store.ts';

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
