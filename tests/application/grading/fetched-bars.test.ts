import { expect, test } from '@jest/globals';
import { fetchBars } from '../../../application/grading/sealed-evidence.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { SourceUnavailable } from '../../../domain/market/market-data.ts';
import { DAY, HOUR } from '../../../domain/time.ts';
import { madePrices } from '../../builders/prices.ts';

const BTC: Instrument = {
  market: 'crypto',
  symbol: 'BTC',
  venue: 'KRAKEN',
  asset_class: 'spot',
  quote_currency: 'USD',
};
const NOON = Date.UTC(2026, 2, 2, 12);
const DAYS = { size: '1d', from: NOON - 30 * DAY, to: NOON } as const;
const PATH = { size: '1m', from: NOON - HOUR, to: NOON } as const;

test('the path and the days before it come from one source, or from none', async () => {
  const prices = madePrices('BTC');
  const taken = {
    ...prices,
    bars: async (...args: Parameters<typeof prices.bars>) => {
      const series = await prices.bars(...args);
      return args[1] === '1d' ? series : { ...series, source: 'a stand-in' };
    },
  };
  const fetched = fetchBars(taken, BTC, [DAYS, PATH], NOON);
  await expect(fetched).rejects.toThrow(new SourceUnavailable('The bars came from made up and a stand-in.'));
  expect((await fetchBars(taken, BTC, [PATH], NOON)).series(PATH).source).toBe('a stand-in');
  expect((await fetchBars(prices, BTC, [DAYS, PATH], NOON)).series(PATH).bars).toHaveLength(60);
});
