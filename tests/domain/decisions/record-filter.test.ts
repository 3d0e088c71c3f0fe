import { expect, test } from '@jest/globals';
import { symbolsMeant } from '../../../domain/decisions/record-filter.ts';

test('without a market a symbol means that of each market', () => {
  expect(symbolsMeant({ symbol: 'eth' })).toEqual(['stock:ETH', 'crypto:ETH']);
  expect(symbolsMeant({ symbol: 'BTC-USDT' })).toEqual(['stock:BTC.USDT', 'crypto:BTC']);
  expect(symbolsMeant({ symbol: 'brk/b' })).toEqual(['stock:BRK.B', 'crypto:BRK']);
});

test('with a market it means that one’s, with a quote that is cut off', () => {
  expect(symbolsMeant({ market: 'stock', symbol: 'BRK-B' })).toEqual(['stock:BRK.B']);
  expect(symbolsMeant({ market: 'crypto', symbol: 'BTCUSD', quote_currency: 'USD' })).toEqual(['crypto:BTC']);
  expect(symbolsMeant({ market: 'crypto', symbol: 'BTCUSD' })).toEqual(['crypto:BTCUSD']);
});

test('none filters nothing, and what can be none is a fault', () => {
  expect(symbolsMeant({})).toBeNull();
  for (const symbol of ['', ' ', 'a/b/c', 'ß', 'x'.repeat(50)]) {
    expect(symbolsMeant({ symbol })).toMatchObject({ path: 'symbol', received: symbol });
  }
});
