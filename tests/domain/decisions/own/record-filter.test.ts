import { expect, test } from '@jest/globals';
import { type InstrumentQuery, symbolsOfQuery } from '../../../../domain/decisions/own/owner-records.ts';
import { NO_NAMES, nameBook } from '../../../../domain/market/name-book.ts';
import { SHIPPED_NAMES } from '../../../../domain/market/shipped-names.ts';
import { learned } from '../../../builders/names.ts';

const coins = { knowsCoin: (symbol: string) => symbol === 'BTC' };

const meant = (query: InstrumentQuery) => symbolsOfQuery(query, coins, NO_NAMES, '2026-01-30');

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

test('a number that stocks of several venues have needs a venue, or the suffix of one', () => {
  const message = expect.stringMatching(/Send one of 0700\.HK, .*0700\.TW/);
  for (const query of [{ symbol: '0700' }, { market: 'stock', symbol: '0700' }] as const) {
    expect(meant(query)).toEqual({ path: 'symbol', message, received: '0700' });
  }
  expect(meant({ market: 'stock', symbol: '0700', venue: 'XHKG' })).toEqual(['stock:0700.HK']);
  expect(meant({ market: 'stock', symbol: '0700.hk' })).toEqual(['stock:0700.HK']);
  expect(meant({ market: 'stock', symbol: '600000' })).toEqual(['stock:600000']);
  expect(meant({ market: 'crypto', symbol: '0700' })).toEqual(['crypto:0700']);
});

test('a name is read by asset class and quote as well', () => {
  const book = nameBook(learned(...SHIPPED_NAMES));
  const read = (query: InstrumentQuery) => symbolsOfQuery({ market: 'crypto', ...query }, coins, book, '2026-01-30');
  const at = { symbol: 'LUNA', venue: 'BINANCE' } as const;
  expect(read({ ...at, asset_class: 'spot' })).toEqual(['crypto:LUNA']);
  expect(read({ symbol: 'LUNA2', venue: 'BINANCE', asset_class: 'perp' })).toEqual(['crypto:LUNA']);
  expect(read({ symbol: 'LUNA2', venue: 'BINANCE', asset_class: 'spot' })).toEqual(['crypto:LUNA2']);
  const pepe = { symbol: '1000PEPE', venue: 'BINANCE', asset_class: 'perp' } as const;
  expect(read({ ...pepe, quote_currency: 'USDT' })).toEqual(['crypto:PEPE']);
  expect(read({ ...pepe, quote_currency: 'USDC' })).toEqual(['crypto:1000PEPE']);
});
