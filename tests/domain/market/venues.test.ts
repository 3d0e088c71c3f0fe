import { expect, test } from '@jest/globals';
import { normaliseInstrument } from '../../../domain/market/instrument.ts';
import { TABLE_VENUES, usVenues, VENUES, venuesWith } from '../../../domain/market/venues.ts';

const SENT = { market: 'crypto', symbol: 'btcusdt', venue: 'gate', asset_class: 'spot', quote_currency: 'usdt' };

test('a venue that is not in the table is supported where it is added, once', () => {
  const venues = venuesWith(['GATE', 'GATE']);
  expect(TABLE_VENUES.named('GATE')).toBeUndefined();
  expect(normaliseInstrument(SENT, TABLE_VENUES)).toMatchObject([{ path: 'venue' }]);
  expect(venues.namesOf('crypto').filter((name) => name === 'GATE')).toEqual(['GATE']);
  expect(normaliseInstrument(SENT, venues, { knowsCoin: (symbol) => symbol === 'BTC' })).toEqual({
    market: 'crypto',
    symbol: 'BTC',
    venue: 'GATE',
    asset_class: 'spot',
    quote_currency: 'USDT',
  });
});

test('a venue of the table stays as it is', () => {
  for (const { name } of VENUES) expect(() => venuesWith([name])).toThrow(RangeError);
});

test('the venues of the United States', () => {
  expect(usVenues()).toEqual(['NYSE', 'NASDAQ', 'AMEX', 'ARCA', 'OTC']);
});
