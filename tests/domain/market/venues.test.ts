import { expect, test } from '@jest/globals';
import { normaliseInstrument } from '../../../domain/market/instrument.ts';
import { openVenue, usVenues, VENUES, venueNamed, venuesOf } from '../../../domain/market/venues.ts';

const SENT = { market: 'crypto', symbol: 'btcusdt', venue: 'gate', asset_class: 'spot', quote_currency: 'usdt' };

test('a venue beside the table is supported once it is opened', () => {
  expect(venueNamed('GATE')).toBeUndefined();
  expect(normaliseInstrument(SENT)).toMatchObject([{ path: 'venue' }]);
  openVenue('GATE');
  openVenue('GATE');
  expect(venuesOf('crypto').filter((name) => name === 'GATE')).toEqual(['GATE']);
  expect(normaliseInstrument(SENT)).toEqual({
    market: 'crypto',
    symbol: 'BTC',
    venue: 'GATE',
    asset_class: 'spot',
    quote_currency: 'USDT',
  });
});

test('a venue of the table stays as it is', () => {
  for (const { name } of VENUES) expect(() => openVenue(name)).toThrow(RangeError);
});

test('the venues of the United States', () => {
  expect(usVenues()).toEqual(['NYSE', 'NASDAQ', 'AMEX', 'ARCA', 'OTC']);
});
