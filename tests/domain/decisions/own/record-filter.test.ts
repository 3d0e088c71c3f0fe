import { expect, test } from '@jest/globals';
import { type InstrumentQuery, symbolsOfQuery } from '../../../../domain/decisions/own/owner-records.ts';

const coins = { knowsCoin: (symbol: string) => symbol === 'BTC' };
const meant = (query: InstrumentQuery) => symbolsOfQuery(query, coins);

test('without a market a symbol matches that of each market', () => {
  expect(meant({ symbol: 'eth' })).toEqual(['stock:ETH', 'crypto:ETH']);
  expect(meant({ symbol: 'BTC-USDT' })).toEqual(['stock:BTC.USDT', 'crypto:BTC']);
  expect(meant({ symbol: 'brk/b' })).toEqual(['stock:BRK.B', 'crypto:BRK']);
});

test('with a market it matches that market’s, with the quote cut off', () => {
  expect(meant({ market: 'stock', symbol: 'BRK-B' })).toEqual(['stock:BRK.B']);
  expect(meant({ market: 'crypto', symbol: 'BTCUSD', quote_currency: 'USD' })).toEqual(['crypto:BTC']);
  expect(meant({ market: 'crypto', symbol: 'BTCUSD' })).toEqual(['crypto:BTCUSD']);
});

test('no symbol filters nothing, and an impossible one is a fault', () => {
  expect(meant({})).toBeNull();
  for (const symbol of ['', ' ', 'a/b/c', 'ß', 'x'.repeat(50)]) {
    expect(meant({ symbol })).toMatchObject({ path: 'symbol', received: symbol });
  }
});
