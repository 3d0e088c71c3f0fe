import { expect, test } from '@jest/globals';
import { symbolsOfQuery } from '../../../../domain/decisions/own/owner-records.ts';

test('without a market a symbol matches that of each market', () => {
  expect(symbolsOfQuery({ symbol: 'eth' })).toEqual(['stock:ETH', 'crypto:ETH']);
  expect(symbolsOfQuery({ symbol: 'BTC-USDT' })).toEqual(['stock:BTC.USDT', 'crypto:BTC']);
  expect(symbolsOfQuery({ symbol: 'brk/b' })).toEqual(['stock:BRK.B', 'crypto:BRK']);
});

test('with a market it matches that market’s, with the quote cut off', () => {
  expect(symbolsOfQuery({ market: 'stock', symbol: 'BRK-B' })).toEqual(['stock:BRK.B']);
  expect(symbolsOfQuery({ market: 'crypto', symbol: 'BTCUSD', quote_currency: 'USD' })).toEqual(['crypto:BTC']);
  expect(symbolsOfQuery({ market: 'crypto', symbol: 'BTCUSD' })).toEqual(['crypto:BTCUSD']);
});

test('no symbol filters nothing, and an impossible one is a fault', () => {
  expect(symbolsOfQuery({})).toBeNull();
  for (const symbol of ['', ' ', 'a/b/c', 'ß', 'x'.repeat(50)]) {
    expect(symbolsOfQuery({ symbol })).toMatchObject({ path: 'symbol', received: symbol });
  }
});
