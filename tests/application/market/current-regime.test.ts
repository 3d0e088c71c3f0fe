import { beforeAll, expect, test } from '@jest/globals';
import { barFiles } from '../../../adapters/market/files/bar-files.ts';
import { currentRegime } from '../../../application/market/current-listing.ts';
import { regimeAt } from '../../../domain/grading/paths/regime.ts';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import type { MarketData } from '../../../domain/market/market-data.ts';
import { packagedBars } from '../../harness/packaged-bars.ts';

const SPX = { market: 'stock', symbol: 'SPX', venue: 'NYSE', asset_class: 'spot', quote_currency: 'USD' } as const;

let marketData: MarketData;

beforeAll(async () => {
  marketData = barFiles(await packagedBars());
});

const regime = (at: string) => currentRegime({ marketData }, SPX, new Date(at));

test('a crash is a loud fall, a calm year a quiet rise', async () => {
  expect((await regime('2008-10-15T12:00:00Z'))?.label).toBe('down_high');
  expect((await regime('2017-10-16T12:00:00Z'))?.label).toBe('up_low');
});

test('the days that are read are enough: the whole history gives the same', async () => {
  const at = Date.parse('2020-03-09T12:00:00Z');
  const { bars } = await marketData.bars(SPX, '1d', 0, at, at);
  expect(await regime('2020-03-09T12:00:00Z')).toEqual(regimeAt(calendarOf(SPX), bars, at));
});

test('a close counts from the instant on at which it is final', async () => {
  const [before, after] = [await regime('2020-03-09T19:59:59.999Z'), await regime('2020-03-09T20:00:00.000Z')];
  expect(before).toEqual(await regime('2020-03-09T13:30:00Z'));
  expect(after).not.toEqual(before);
});

test('too few closes give no regime, nor do closes of long ago', async () => {
  expect(await regime('2000-03-01T12:00:00Z')).toBeNull();
  expect(await regime('2026-03-02T12:00:00Z')).toBeNull();
});
