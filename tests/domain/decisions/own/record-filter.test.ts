import { expect, test } from '@jest/globals';
import { symbolsMeant } from '../../../../domain/decisions/own/owner-records.ts';

test('without a market a symbol matches that of each market', () => {
  expect(symbolsMeant({ symbol: 'eth' })).toEqual(['stock:ETH', 'crypto:ETH']);
  expect(symbolsMeant({ symbol: 'BTC-USDT' })).toEqual(['stock:BTC.USDT', 'crypto:BTC']);
  expect(symbolsMeant({ symbol: 'brk/b' })).toEqual(['stock:BRK.B', 'crypto:BRK']);
});

test('with a market it matches that market’s, with the quote cut off', () => {
  expect(symbolsMeant({ market: 'stock', symbol: 'BRK-B' })).toEqual(['stock:BRK.B']);
  expect(symbolsMeant({ market: 'crypto', symbol: 'BTCUSD', quote_currency: 'USD' })).toEqual(['crypto:BTC']);
  expect(symbolsMeant({ market: 'crypto', symbol: 'BTCUSD' })).toEqual(['crypto:BTCUSD']);
});

test('no symbol filters nothing, and an impossible one is a fault', () => {
  expect(symbolsMeant({})).toBeNull();
  for (const symbol of ['', ' ', 'a/b/c', 'ß', 'x'.repeat(50)]) {
    expect(symbolsMeant({ symbol })).toMatchObject({ path: 'symbol', received: symbol });
  }
});
