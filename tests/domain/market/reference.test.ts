import { describe, expect, test } from '@jest/globals';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import { type Instrument, instrumentKey, normaliseInstrument } from '../../../domain/market/instrument.ts';
import { referencesOf } from '../../../domain/market/reference.ts';
import { STOCK_VENUES } from '../../../domain/market/venues/stock-venues.ts';
import { TABLE_VENUES } from '../../../domain/market/venues.ts';

function stock(venue: string, symbol: string, quote_currency: string): Instrument {
  return { market: 'stock', symbol, venue, asset_class: 'spot', quote_currency };
}

const keys = (instrument: Instrument, preferred: readonly Instrument[] = []) =>
  referencesOf(instrument, preferred).map(instrumentKey);

describe('the reference of a market', () => {
  test.each([
    ['NASDAQ', 'MSFT', 'USD', ['stock:SPX:NYSE:spot:USD', 'stock:SPY:ARCA:spot:USD']],
    ['NYSE', 'BRK.B', 'USD', ['stock:SPX:NYSE:spot:USD', 'stock:SPY:ARCA:spot:USD']],
    ['SZSE', '000001', 'CNY', ['stock:000001.SS:SSE:spot:CNY']],
    ['HKEX', '0700.HK', 'HKD', ['stock:2800.HK:HKEX:spot:HKD']],
    ['HKEX', '0700.HK', 'CNY', ['stock:2800.HK:HKEX:spot:HKD']],
    ['NSE', 'RELIANCE.NS', 'INR', ['stock:NIFTYBEES.NS:NSE:spot:INR']],
    ['BSE', 'RELIANCE.BO', 'INR', ['stock:NIFTYBEES.NS:NSE:spot:INR']],
    ['TSE', '7203.T', 'JPY', ['stock:1306.T:TSE:spot:JPY']],
    ['KRX', '005930.KS', 'KRW', ['stock:069500.KS:KRX:spot:KRW']],
    ['KRX', '035720.KQ', 'KRW', ['stock:069500.KS:KRX:spot:KRW']],
    ['TWSE', '2330.TW', 'TWD', ['stock:0050.TW:TWSE:spot:TWD']],
    ['LSE', 'VOD.L', 'GBX', ['stock:ISF.L:LSE:spot:GBX']],
    ['EURONEXT', 'MC.PA', 'EUR', ['stock:CAC.PA:EURONEXT:spot:EUR']],
    ['EURONEXT', 'ASML.AS', 'EUR', ['stock:IAEX.AS:EURONEXT:spot:EUR']],
    ['EURONEXT', 'ABI.BR', 'EUR', ['stock:CAC.PA:EURONEXT:spot:EUR']],
    ['XETRA', 'SAP.DE', 'EUR', ['stock:EXS1.DE:XETRA:spot:EUR']],
    ['SIX', 'NESN.SW', 'CHF', ['stock:SMICHA.SW:SIX:spot:CHF']],
    ['TSX', 'RCI.B.TO', 'CAD', ['stock:XIU.TO:TSX:spot:CAD']],
    ['ASX', 'BHP.AX', 'AUD', ['stock:STW.AX:ASX:spot:AUD']],
  ])('of %s %s in %s', (venue, symbol, quote, expected) => {
    expect(keys(stock(venue, symbol, quote))).toEqual(expected);
  });

  test.each(STOCK_VENUES.map(({ names, reference }) => [names[0] ?? '', reference] as const))(
    '%s states instruments that can be named in a decision, of a calendar of its own',
    (_, references) => {
      expect(references.length).toBeGreaterThan(0);
      for (const { symbol, venue } of references) {
        const [named] = referencesOf(stock(venue, 'ZZZ', ''));
        const instrument = { ...(named ?? stock(venue, symbol, '')), symbol, venue };
        expect(normaliseInstrument(instrument, TABLE_VENUES)).toEqual(instrument);
        expect(calendarOf(instrument).name).not.toBe('generic');
      }
    },
  );

  test.each([
    ['SPX', stock('NYSE', 'SPX', 'USD'), []],
    ['SPY, which has another before it', stock('NASDAQ', 'SPY', 'USD'), ['stock:SPX:NYSE:spot:USD']],
    ['2800 in renminbi', stock('HKEX', '2800.HK', 'CNY'), []],
    ['the fund of NSE at BSE', stock('BSE', 'NIFTYBEES.BO', 'INR'), []],
    ['the fund of Amsterdam', stock('EURONEXT', 'IAEX.AS', 'EUR'), []],
    ['the index of Shanghai', stock('SSE', '000001.SS', 'CNY'), []],
  ])('is not %s itself', (_, instrument, expected) => expect(keys(instrument)).toEqual(expected));

  test('is a preferred one of the country first', () => {
    const sensex = stock('BSE', 'SENSEXBEES.BO', 'INR');
    const spy = stock('ARCA', 'SPY', 'USD');
    expect(keys(stock('NSE', 'TCS.NS', 'INR'), [spy, sensex])).toEqual([
      'stock:SENSEXBEES.BO:BSE:spot:INR',
      'stock:NIFTYBEES.NS:NSE:spot:INR',
    ]);
    expect(keys(stock('TSX', 'RY.TO', 'CAD'), [spy])).toEqual(['stock:XIU.TO:TSX:spot:CAD']);
  });

  test('is BTC of the same venue and quote for a coin, and none for BTC', () => {
    const coin = (symbol: string) => ({ ...stock('KRAKEN', symbol, 'EUR'), market: 'crypto' as const });
    expect([keys(coin('ETH')), keys(coin('BTC'))]).toEqual([['crypto:BTC:KRAKEN:spot:EUR'], []]);
  });
});
