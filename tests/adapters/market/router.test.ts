import { expect, test } from '@jest/globals';
import { marketDataRouter } from '../../../adapters/market/router.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { type Listing, type MarketData, SourceUnavailable } from '../../../domain/market/market-data.ts';

const coin: Instrument = {
  market: 'crypto',
  symbol: 'BTC',
  venue: 'KRAKEN',
  asset_class: 'spot',
  quote_currency: 'USD',
};
const share: Instrument = {
  market: 'stock',
  symbol: 'MSFT',
  venue: 'NASDAQ',
  asset_class: 'spot',
  quote_currency: 'USD',
};

function knowing(source: string): MarketData {
  const listing: Listing = { source, sizes: ['1d'], history_from: 0, delisted_at: null, cadence: 'continuous' };
  return {
    describe: async () => listing,
    bars: async (_instrument, size) => ({ source, size, bars: [], dropped: 0 }),
  };
}

function failing(error: Error): MarketData {
  const fail = () => Promise.reject(error);
  return { describe: fail, bars: fail };
}

const ignorant: MarketData = { ...failing(new Error('never asked for bars')), describe: async () => null };
const down = failing(new SourceUnavailable('down for maintenance'));

async function serving(router: MarketData, instrument: Instrument): Promise<readonly [string | undefined, string]> {
  const { source } = await router.bars(instrument, '1d', 0, 1, 1);
  return [(await router.describe(instrument))?.source, source];
}

test('the first source in order that knows the instrument serves it', async () => {
  const router = marketDataRouter([{ source: ignorant }, { source: knowing('a') }, { source: knowing('b') }]);
  expect(await serving(router, coin)).toEqual(['a', 'a']);
});

test('a source is asked about its own market and venues only', async () => {
  const router = marketDataRouter([
    { source: knowing('kraken'), market: 'crypto', venues: ['KRAKEN'] },
    { source: knowing('coins'), market: 'crypto' },
    { source: knowing('files') },
  ]);
  expect(await serving(router, coin)).toEqual(['kraken', 'kraken']);
  expect(await serving(router, { ...coin, venue: 'OKX' })).toEqual(['coins', 'coins']);
  expect(await serving(router, share)).toEqual(['files', 'files']);
});

test('a source that fails is passed over when another knows the instrument', async () => {
  expect(await serving(marketDataRouter([{ source: down }, { source: knowing('b') }]), coin)).toEqual(['b', 'b']);
});

test('unavailable when one failed and none knew it', async () => {
  const router = marketDataRouter([{ source: ignorant }, { source: down }, { source: ignorant }]);
  await expect(router.describe(coin)).rejects.toThrow(new SourceUnavailable('down for maintenance'));
});

test('null when every source answered and none knew it', async () => {
  const router = marketDataRouter([{ source: ignorant }, { source: down, market: 'stock' }]);
  expect(await router.describe(coin)).toBeNull();
  await expect(router.bars(coin, '1d', 0, 1, 1)).rejects.toThrow('no source knows crypto:BTC:KRAKEN:spot:USD');
});

test('a fault of the program is not taken for a source that is down', async () => {
  const router = marketDataRouter([{ source: failing(new TypeError('oops')) }, { source: knowing('b') }]);
  await expect(router.describe(coin)).rejects.toThrow(TypeError);
});
