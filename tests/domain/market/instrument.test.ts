import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cohortKey } from '../../../domain/cohorts/cohort-key.ts';
import {
  type InstrumentAsSent,
  namedInstrument,
  normaliseInstrument,
  unplacedAdvice,
} from '../../../domain/market/instrument.ts';
import { isReading, normaliseSymbol } from '../../../domain/market/symbol.ts';
import { TABLE_VENUES, VENUES } from '../../../domain/market/venues.ts';

const bitcoin = { market: 'crypto', symbol: 'BTC', venue: 'BINANCE', asset_class: 'spot', quote_currency: 'USDT' };
const microsoft = { market: 'stock', symbol: 'MSFT', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' };

/** The coins that the tests know. */
const COINS = ['BTC', 'ETH', 'USDC', 'USDT', 'WBTC', 'TUSD', 'LSETH', 'DOGE', 'M', 'METH'];
const coins = { knowsCoin: (symbol: string) => COINS.includes(symbol) };

function symbolOf(sent: InstrumentAsSent): string {
  const normalised = normaliseInstrument(sent, TABLE_VENUES, coins);
  if (Array.isArray(normalised)) throw new Error(normalised.map(({ message }) => message).join('; '));
  return normalised.symbol;
}

function faultsOf(sent: InstrumentAsSent): readonly string[] {
  const normalised = normaliseInstrument(sent, TABLE_VENUES, coins);
  return Array.isArray(normalised) ? normalised.map(({ path }) => path) : [];
}

/** Any venue, asset class and quote of the table, with a known coin that is not the quote. */
const pair = fc
  .constantFrom(...VENUES.filter(({ market }) => market === 'crypto'))
  .chain(({ name, quotes }) =>
    fc.constantFrom(...Object.entries(quotes)).chain(([asset_class, currencies]) =>
      fc.record({
        venue: fc.constant(name),
        asset_class: fc.constant(asset_class),
        quote: fc.constantFrom(...currencies),
        base: fc.constantFrom(...COINS),
      }),
    ),
  )
  .filter(({ base, quote }) => base !== quote && !COINS.includes(base + quote))
  .map(({ base, quote, venue, asset_class }) => ({
    base,
    quote,
    rest: { market: 'crypto', venue, asset_class, quote_currency: quote },
  }));

describe('one instrument has one spelling', () => {
  test('spaces and case do not matter', () => {
    const sent = { market: ' Crypto', symbol: 'btc ', venue: 'binance', asset_class: 'SPOT', quote_currency: ' usdt' };
    expect(normaliseInstrument(sent, TABLE_VENUES)).toEqual(bitcoin);
  });

  test.each(['BTC', 'BTC-USDT', 'BTC/USDT', 'BTCUSDT', 'btc/usdt'])('%s in USDT is BTC', (symbol) => {
    expect(normaliseInstrument({ ...bitcoin, symbol }, TABLE_VENUES, coins)).toEqual(bitcoin);
  });

  test('every spelling of a pair gives the same instrument', () => {
    fc.assert(
      fc.property(pair, ({ base, quote, rest }) => {
        for (const symbol of [base, `${base}-${quote}`, `${base}/${quote}`, `${base}${quote}`, base.toLowerCase()]) {
          expect(symbolOf({ ...rest, symbol })).toBe(base);
        }
      }),
    );
  });

  test('with a separator the part before it is the base, whatever it ends with', () => {
    const on = (venue: string, symbol: string, quote_currency: string) =>
      symbolOf({ ...bitcoin, venue, symbol, quote_currency });
    expect(on('COINBASE', 'LSETH-ETH', 'ETH')).toBe('LSETH');
    expect(on('COINBASE', 'MUSD-USD', 'USD')).toBe('MUSD');
    expect(on('BYBIT', 'METH/USDT', 'USDT')).toBe('METH');
    expect(on('KRAKEN', 'METH/ETH', 'ETH')).toBe('METH');
    expect(on('BINANCE', 'AUSDT-USDT', 'USDT')).toBe('AUSDT');
  });

  test('without one the quote is cut off only where the rest is a known coin and the whole is none', () => {
    const on = (symbol: string, quote_currency: string) =>
      symbolOf({ ...bitcoin, venue: 'COINBASE', symbol, quote_currency });
    expect(on('METH', 'ETH')).toBe('METH');
    expect(on('LSETH', 'ETH')).toBe('LSETH');
    expect(on('MUSD', 'USD')).toBe('M');
    expect(on('NEWCOINUSD', 'USD')).toBe('NEWCOINUSD');
    expect(on('ETHBTC', 'BTC')).toBe('ETH');
  });

  test('exchanges\u2019 codes for Bitcoin and Dogecoin name the same coin at every venue, as base and as quote', () => {
    for (const { name, quotes } of VENUES.filter(({ market }) => market === 'crypto')) {
      const quote = quotes.spot?.[0] ?? '';
      for (const symbol of ['XBT', 'xbt', `XBT-${quote}`, `XBT${quote}`])
        expect(symbolOf({ ...bitcoin, venue: name, quote_currency: quote, symbol })).toBe('BTC');
      expect(symbolOf({ ...bitcoin, venue: name, quote_currency: quote, symbol: 'XDG' })).toBe('DOGE');
    }
    const inBitcoin = { ...bitcoin, venue: 'KRAKEN', symbol: 'ETHXBT', quote_currency: 'XBT' };
    expect(normaliseInstrument(inBitcoin, TABLE_VENUES, coins)).toMatchObject({ symbol: 'ETH', quote_currency: 'BTC' });
  });

  test('a reading that the caller may not have meant is one', () => {
    const reading = (symbol: string, quote_currency = 'USDT') => {
      const read = symbolOf({ ...bitcoin, venue: 'KRAKEN', symbol, quote_currency });
      return isReading(symbol, read, { market: 'crypto', quote_currency, coins });
    };
    expect(['BTCUSDT', 'XBT', 'XBT-USDT', 'NEWUSDT'].map((symbol) => reading(symbol))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(['BTC', 'btc-usdt', 'LSETH', 'NEW'].map((symbol) => reading(symbol))).toEqual([false, false, false, false]);
    expect(reading('METH', 'ETH')).toBe(false);
  });

  test('marks of listings in small letters are kept', () => {
    const on = (symbol: string) => symbolOf({ ...microsoft, venue: 'NYSE', symbol });
    expect(['AIIAr', 'ABRpB', 'BACp', 'ABCw', 'aiia', 'AIIA.RT', 'aiia-rt'].map(on)).toEqual([
      ...['AIIA.RT', 'ABR.PRB', 'BAC.PR', 'ABC.WI', 'AIIA', 'AIIA.RT', 'AIIA.RT'],
    ]);
  });

  test('normalising again changes nothing', () => {
    const symbols = fc.oneof(
      fc.stringMatching(/^[A-Z0-9/.^-]{1,14}$/),
      fc
        .array(fc.constantFrom('USD', 'USDT', 'USDC', 'BTC', 'W', 'B', '-', '/'), { maxLength: 5 })
        .map((all) => all.join('')),
    );
    fc.assert(
      fc.property(fc.constantFrom(...VENUES), symbols, fc.nat(), ({ name, market, quotes }, symbol, pick) => {
        const quote_currency = quotes.spot?.[pick % quotes.spot.length] ?? '';
        const sent = { market, symbol, venue: name, asset_class: 'spot', quote_currency };
        const once = normaliseInstrument(sent, TABLE_VENUES, coins);
        if (!Array.isArray(once)) expect(normaliseInstrument(once, TABLE_VENUES)).toEqual(once);
      }),
      { numRuns: 1000 },
    );
  });

  test('an instrument that is supported has the same name where support does not matter', () => {
    const symbols = fc.oneof(fc.stringMatching(/^[A-Za-z0-9/.^ -]{1,14}$/), fc.constantFrom('BTC', 'MSFT', 'btc-usdt'));
    const venues = fc.constantFrom(...VENUES);
    fc.assert(
      fc.property(venues, symbols, fc.nat(), fc.constantFrom('spot', 'perp'), (venue, symbol, pick, asset_class) => {
        const quote_currency = venue.quotes.spot?.[pick % venue.quotes.spot.length] ?? '';
        const sent = { market: venue.market, symbol, venue: venue.name.toLowerCase(), asset_class, quote_currency };
        const supported = normaliseInstrument(sent, TABLE_VENUES);
        if (!Array.isArray(supported)) expect(namedInstrument(sent)).toEqual(supported);
        else for (const { path } of supported) expect(['symbol', 'asset_class', 'quote_currency']).toContain(path);
      }),
      { numRuns: 1000 },
    );
  });

  test('names are letters and digits, so that no part of a key or of a path can be another', () => {
    for (const name of ['', '..', '../A', 'A:B', 'A/B', 'A B', 'A.B', 'K'.repeat(21), '\u212a']) {
      const faults = namedInstrument({ ...bitcoin, venue: name, quote_currency: name });
      expect(Array.isArray(faults) && faults.map(({ path }) => path)).toEqual(
        expect.arrayContaining(['venue', 'quote_currency']),
      );
    }
  });

  test.each(['BRK/B', 'BRK-B', 'brk.b'])('the class share %s is BRK.B', (symbol) => {
    expect(symbolOf({ ...microsoft, venue: 'NYSE', symbol })).toBe('BRK.B');
  });

  test('a stock symbol never loses a quote suffix', () => {
    for (const symbol of ['USD', 'AUSD', 'MSFTUSD']) expect(symbolOf({ ...microsoft, symbol })).toBe(symbol);
  });

  test('a base that ends like its quote keeps its name', () => {
    expect(symbolOf({ ...bitcoin, symbol: 'USDCUSDT' })).toBe('USDC');
    expect(symbolOf({ ...bitcoin, symbol: 'WBTC', quote_currency: 'BTC' })).toBe('WBTC');
    expect(symbolOf({ ...bitcoin, symbol: 'WBTCBTC', quote_currency: 'BTC' })).toBe('WBTC');
    expect(symbolOf({ ...bitcoin, symbol: 'W-BTC', quote_currency: 'BTC' })).toBe('W');
    expect(symbolOf({ ...bitcoin, venue: 'KRAKEN', symbol: 'TUSD', quote_currency: 'USD' })).toBe('TUSD');
  });

  test('a filter without a quote still knows the pair', () => {
    const context = { market: 'crypto', quote_currency: null, coins } as const;
    expect(['BTC', 'btc-usd', 'BTCUSDT', 'USDC'].map((raw) => normaliseSymbol(raw, context))).toEqual([
      'BTC',
      'BTC',
      'BTC',
      'USDC',
    ]);
  });
});

describe('what is not supported is refused', () => {
  test('all faults are returned at once, with what to send instead', () => {
    const sent = { market: 'bonds', symbol: '../x', venue: 'MARS', asset_class: 'option', quote_currency: '' };
    expect(normaliseInstrument(sent, TABLE_VENUES)).toEqual([
      { path: 'market', message: 'market is not supported: send stock or crypto', received: 'bonds' },
      { path: 'symbol', message: expect.stringContaining('such as MSFT or BTC'), received: '../x' },
      { path: 'venue', message: expect.stringContaining('NYSE, NASDAQ'), received: 'MARS' },
      { path: 'asset_class', message: 'asset_class is not supported: send spot or perp', received: 'option' },
      { path: 'quote_currency', message: expect.stringContaining('such as USD'), received: '' },
    ]);
  });

  test('a venue of the other market', () => {
    expect(faultsOf({ ...bitcoin, venue: 'NYSE' })).toContain('venue');
    expect(faultsOf({ ...microsoft, venue: 'BINANCE' })).toContain('venue');
  });

  test('perpetuals only on BINANCE, BYBIT and OKX, in USDT and USDC', () => {
    const perp = (venue: string, quote_currency: string) =>
      faultsOf({ ...bitcoin, asset_class: 'perp', venue, quote_currency });
    for (const venue of ['BINANCE', 'BYBIT', 'OKX']) {
      expect(perp(venue, 'USDT')).toEqual([]);
      expect(perp(venue, 'USDC')).toEqual([]);
      for (const quote of ['USD', 'EUR', 'BTC']) expect(perp(venue, quote)).toEqual(['quote_currency']);
    }
    for (const venue of ['COINBASE', 'KRAKEN']) expect(perp(venue, 'USDT')).toEqual(['asset_class']);
    expect(faultsOf({ ...microsoft, asset_class: 'perp' })).toEqual(['asset_class']);
  });

  test('another quote than quote_currency inside the symbol', () => {
    for (const symbol of ['BTC-USDC', 'BTC/USDC', 'BTCUSDC', 'BTC-USDT-SWAP', 'USDT', 'USDTUSDT']) {
      expect(faultsOf({ ...bitcoin, symbol })).toEqual(['symbol']);
    }
  });

  test('a wrong quote is one fault, not two', () => {
    expect(faultsOf({ ...bitcoin, symbol: 'BTC-USDT', quote_currency: 'DOLLAR' })).toEqual(['quote_currency']);
  });

  test('text that cannot be a symbol', () => {
    const hostile = [
      '',
      '..',
      '../../etc/passwd',
      'A\0B',
      'MSFT\n1',
      '\u017FPX',
      'A'.repeat(60),
      '.',
      'A..B',
      'BRK.',
      '\\',
      'A%2F',
    ];
    for (const symbol of hostile) {
      expect(faultsOf({ ...microsoft, symbol })).toEqual(['symbol']);
      expect(faultsOf({ ...bitcoin, symbol })).toEqual(['symbol']);
    }
  });

  test('Chinese venues accept six digits and CNY', () => {
    const bank = { ...microsoft, symbol: '600000', venue: 'SSE', quote_currency: 'CNY' };
    expect(symbolOf(bank)).toBe('600000');
    expect(faultsOf({ ...microsoft, symbol: '600000' })).toEqual(['symbol']);
    expect(faultsOf({ ...bank, symbol: '600000.SH', quote_currency: 'USD' })).toEqual(['symbol', 'quote_currency']);
  });
});

describe('a stock of a venue with suffixes', () => {
  const sent = (venue: string, symbol: string, quote_currency = quoteOf(venue)) =>
    normaliseInstrument({ market: 'stock', symbol, venue, asset_class: 'spot', quote_currency }, TABLE_VENUES);
  const quoteOf = (venue: string) => TABLE_VENUES.named(venue)?.quotes.spot?.[0] ?? '';

  test.each([
    ['HKEX', '700', 'HKEX', '0700.HK'],
    ['HKEX', '700.HK', 'HKEX', '0700.HK'],
    ['HKEX', '0700.hk', 'HKEX', '0700.HK'],
    ['HKEX', '00700', 'HKEX', '0700.HK'],
    ['HKEX', '09988.HK', 'HKEX', '9988.HK'],
    ['XHKG', '80700', 'HKEX', '80700.HK'],
    ['NSE', 'RELIANCE', 'NSE', 'RELIANCE.NS'],
    ['NSE', 'reliance.ns', 'NSE', 'RELIANCE.NS'],
    ['NSE', 'M&M', 'NSE', 'M&M.NS'],
    ['XNSE', 'BAJAJ-AUTO', 'NSE', 'BAJAJ-AUTO.NS'],
    ['BSE', 'RELIANCE', 'BSE', 'RELIANCE.BO'],
    ['BSE', '500325', 'BSE', '500325.BO'],
    ['TSE', '7203', 'TSE', '7203.T'],
    ['KRX', '005930', 'KRX', '005930.KS'],
    ['KRX', '035720.KQ', 'KRX', '035720.KQ'],
    ['KOSDAQ', '035720', 'KRX', '035720.KQ'],
    ['TWSE', '2330', 'TWSE', '2330.TW'],
    ['LSE', 'VOD', 'LSE', 'VOD.L'],
    ['LSE', 'BT-A', 'LSE', 'BT.A.L'],
    ['LSE', 'BT.A.L', 'LSE', 'BT.A.L'],
    ['EURONEXT', 'MC', 'EURONEXT', 'MC.PA'],
    ['EURONEXT', 'ASML.AS', 'EURONEXT', 'ASML.AS'],
    ['XAMS', 'ASML', 'EURONEXT', 'ASML.AS'],
    ['XETRA', '1COV', 'XETRA', '1COV.DE'],
    ['SIX', 'NESN', 'SIX', 'NESN.SW'],
    ['TSX', 'RCI-B', 'TSX', 'RCI.B.TO'],
    ['TSX', 'REI-UN.TO', 'TSX', 'REI.UN.TO'],
    ['ASX', 'a2m', 'ASX', 'A2M.AX'],
  ])('%s %s is %s %s, and is itself when read again, with the venue or without', (venue, symbol, name, key) => {
    const read = sent(venue, symbol);
    expect(read).toMatchObject({ venue: name, symbol: key });
    if (Array.isArray(read)) throw new Error('it is an instrument');
    expect(normaliseInstrument(read, TABLE_VENUES)).toEqual(read);
    expect(namedInstrument({ ...read, symbol, venue })).toEqual(read);
    expect(normaliseSymbol(key, { market: 'stock', quote_currency: null })).toBe(key);
  });

  test.each([
    ['HKEX', '123456', 'on HKEX send the ticker with .HK, or without, such as 2800.HK'],
    ['HKEX', 'TENCENT', 'on HKEX send the ticker with .HK, or without, such as 2800.HK'],
    ['HKEX', '0700.SZ', 'for the listing on HKEX send 0700.HK'],
    ['HKEX', 'HK0700', 'for the listing on HKEX send 0700.HK'],
    ['HKEX', '000700', 'for the listing on HKEX send 0700.HK'],
    ['HKEX', '0700-HK', 'for the listing on HKEX send 0700.HK'],
    ['NSE', 'RELIANCE.BO', 'for the listing on NSE send RELIANCE.NS, for RELIANCE.BO send venue BSE'],
    ['NSE', 'NSE:RELIANCE', 'for the listing on NSE send RELIANCE.NS'],
    ['NSE', 'RELIANCE EQ', 'for the listing on NSE send RELIANCE.NS'],
    ['BSE', '50032', 'on BSE send the ticker with .BO, or without'],
    ['TSE', '72033A', 'on TSE send the ticker with .T, or without, such as 1306.T'],
    ['TSE', '0203', 'on TSE send the ticker with .T'],
    ['TSE', '7203.HK', 'for the listing on TSE send 7203.T, for 7203.HK send venue HKEX'],
    ['KRX', '5930', 'for the listing on KRX send 005930.KS or 005930.KQ'],
    ['KRX', '5930.KQ', 'for the listing on KRX send 005930.KQ'],
    ['KRX', 'A005930', 'for the listing on KRX send 005930.KS or 005930.KQ'],
    ['KRX', '035720.KOSDAQ', 'for the listing on KRX send 035720.KQ'],
    ['XKOS', '035720.KS', 'for the listing on XKOS send 035720.KQ, for 035720.KS send venue KRX'],
    ['TWSE', '50', 'for the listing on TWSE send 0050.TW'],
    ['LSE', 'VOD.LN', 'for the listing on LSE send VOD.L'],
    ['LSE', 'VODAFONE', 'on LSE send the ticker with .L, or without, such as ISF.L'],
    ['EURONEXT', 'ASML.NA', 'for the listing on EURONEXT send ASML.PA, ASML.AS, ASML.BR or ASML.LS'],
    ['XAMS', 'ASML.PA', 'for the listing on XAMS send ASML.AS, for ASML.PA send venue EURONEXT'],
    ['XAMS', 'AIRBUSGROUP', 'on XAMS send the ticker with .AS, or without, such as IAEX.AS'],
    ['XETRA', 'ETR:SAP', 'for the listing on XETRA send SAP.DE'],
    ['SIX', 'NESN.VX', 'for the listing on SIX send NESN.SW'],
    ['TSX', 'RY.TSX', 'for the listing on TSX send RY.TO'],
    ['ASX', 'BHP.AU', 'for the listing on ASX send BHP.AX'],
    [
      'NASDAQ',
      '0700.HK',
      'send the ticker, class shares with a dot, such as MSFT or BRK.B; for 0700.HK send venue HKEX',
    ],
    ['NASDAQ', 'RY.TO', 'for the listing on NASDAQ send RY, for RY.TO send venue TSX'],
    ['NYSE', 'NYSE:BRK.B', 'for the listing on NYSE send BRK.B'],
    ['SSE', '600000.SS', 'for the listing on SSE send 600000'],
    ['SSE', '60000', 'on SSE send the six digits of the code alone, such as 600000'],
    ['SZSE', '1', 'for the listing on SZSE send 000001'],
  ])('%s %s is refused with what to send', (venue, symbol, advice) => {
    const fields = { market: 'stock', symbol, venue, asset_class: 'spot', quote_currency: quoteOf(venue) };
    expect(normaliseInstrument(fields, TABLE_VENUES, { knowsCoin: () => false })).toEqual([
      expect.objectContaining({ path: 'symbol', received: symbol, message: expect.stringContaining(advice) }),
    ]);
  });

  test.each([
    ['0700', ['0700.HK', '0700.TW']],
    ['5930', ['5930.HK', '5930.T', '5930.TW']],
    ['360', ['0360.HK', '360.L', '360.AX']],
  ])('%s without a venue may be one of those venues that list such tickers', (symbol, expected) => {
    const advice = unplacedAdvice(symbol, { knowsCoin: () => false }) ?? '';
    const found = advice.replace(/^.*Send one of /, '').split(', ');
    expect(symbol.length > 3 ? found : found.filter((each) => expected.includes(each))).toEqual(expected);
  });

  test('has the quotes of its venue, with the case of pence', () => {
    const quotes = ['GBp', 'GBX', 'GBP', ' GBp ', 'HKD'].map((quote) => sent('LSE', 'VOD', quote));
    expect(quotes.slice(0, 4).map((read) => (Array.isArray(read) ? null : read.quote_currency))).toEqual([
      ...['GBX', 'GBX', 'GBP', 'GBX'],
    ]);
    expect(quotes[4]).toMatchObject([
      { path: 'quote_currency', message: expect.stringContaining('GBX, GBP, USD or EUR') },
    ]);
  });

  test('is a reading only where a bare ticker may have one of several suffixes', () => {
    const reads = (venue: string, raw: string, symbol: string) =>
      isReading(raw, symbol, { market: 'stock', quote_currency: null, venue });
    expect(reads('KRX', '035720', '035720.KS')).toBe(true);
    expect(reads('KRX', '035720.KQ', '035720.KQ')).toBe(false);
    expect(reads('XAMS', 'ASML', 'ASML.AS')).toBe(false);
    expect(reads('HKEX', '700', '0700.HK')).toBe(false);
    expect(reads('NASDAQ', 'BRK/B', 'BRK.B')).toBe(false);
  });

  test('counts pence and pounds as one quote in a cohort', () => {
    const keyOf = (quote_currency: string) =>
      cohortKey(
        {
          instrument: { market: 'stock', symbol: 'VOD.L', venue: 'LSE', asset_class: 'spot', quote_currency },
          ...{ direction: 'bullish', horizon_kind: 'trading_days', horizon_value: 5, analysis_class: 'opinion' },
        },
        false,
      );
    expect([keyOf('GBX'), keyOf('GBP')]).toEqual(Array(2).fill('stock:vod.l:spot:gbp:bullish:swing:opinion'));
  });
});

describe('a key of another venue, or with a number', () => {
  const stored = (symbol: string, venue: string) =>
    normaliseInstrument(
      { market: 'stock', symbol, venue, asset_class: 'spot', quote_currency: QUOTE[venue] ?? '' },
      TABLE_VENUES,
    );
  const QUOTE: Readonly<Record<string, string>> = { BSE: 'INR', HKEX: 'HKD', NYSE: 'USD' };

  test.each([
    ['RELIANCE.NS', 'BSE', 'RELIANCE.NS'],
    ['RELIANCE.BO', 'BSE', 'RELIANCE.BO'],
    ['RELIANCE', 'BSE', 'RELIANCE.BO'],
    ['0700.HK~2', 'HKEX', '0700.HK~2'],
    ['700.HK~2', 'HKEX', '0700.HK~2'],
    ['L', 'NYSE', 'L'],
  ])('%s at %s is stored as %s', (symbol, venue, normalised) => {
    expect(stored(symbol, venue)).toMatchObject({ symbol: normalised });
  });

  test('a caller names the share by the ticker of the venue', () => {
    const sent = { market: 'stock', symbol: 'RELIANCE.NS', venue: 'BSE', asset_class: 'spot', quote_currency: 'INR' };
    expect(normaliseInstrument(sent, TABLE_VENUES, coins)).toMatchObject([{ path: 'symbol' }]);
  });
});
