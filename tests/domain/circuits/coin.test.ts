import { expect, test } from '@jest/globals';
import { coinOf } from '../../../domain/circuits/coin.ts';

const bitcoin = { market: 'crypto', symbol: 'BTC', venue: 'BINANCE', asset_class: 'spot' } as const;

test('only the watched stablecoins have a circuit', () => {
  expect(['USDT', 'USDC', 'USD', 'BTC'].map((quote_currency) => coinOf({ ...bitcoin, quote_currency }))).toEqual([
    'USDT',
    'USDC',
    null,
    null,
  ]);
});
