import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type InstrumentAsSent, namedInstrument, normaliseInstrument } from '../../../domain/market/instrument.ts';
import { normaliseSymbol } from '../../../domain/market/symbol.ts';
import { TABLE_VENUES, VENUES } from '../../../domain/market/venues.ts';

const bitcoin = { market: 'crypto', symbol: 'BTC', venue: 'BINANCE', asset_class: 'spot', quote_currency: 'USDT' };
const microsoft = { market: 'stock', symbol: 'MSFT', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' };

function symbolOf(sent: InstrumentAsSent): string {
  const normalised = normaliseInstrument(sent, TABLE_VENUES);
  if (Array.isArray(normalised)) throw new Error(normalised.map(({ message }) => message).join('; '));
  return normalised.symbol;
}

function faultsOf(sent: InstrumentAsSent): readonly string[] {
  const normalised = normaliseInstrument(sent, TABLE_VENUES);
  return Array.isArray(normalised) ? normalised.map(({ path }) => path) : [];
}

/** Any venue, asset class and quote of the table, with a base that is no quote and ends like none. */
const pair = fc
  .constantFrom(...VENUES.filter(({ market }) => market === 'crypto'))
  .chain(({ name, quotes }) =>
    fc.constantFrom(...Object.entries(quotes)).chain(([asset_class, currencies]) =>
      fc.record({
        venue: fc.constant(name),
        asset_class: fc.constant(asset_class),
        quote: fc.constantFrom(...currencies),
      }),
    ),
  )
  .chain(({ venue, asset_class, quote }) =>
    fc
      .stringMatching(/^[A-Z0-9]{1,12}$/)
      .filter((base) => normaliseSymbol(base, { market: 'crypto', quote_currency: quote }) === base)
      .filter((base) => normaliseSymbol(base + quote, { market: 'crypto', quote_currency: quote }) !== base + quote)
      .map((base) => ({ base, quote, rest: { market: 'crypto', venue, asset_class, quote_currency: quote } })),
  );

describe('one instrument has one spelling', () => {
  test('spaces and case do not matter', () => {
    const sent = { market: ' Crypto', symbol: 'btc ', venue: 'binance', asset_class: 'SPOT', quote_currency: ' usdt' };
    expect(normaliseInstrument(sent, TABLE_VENUES)).toEqual(bitcoin);
  });

  test.each(['BTC', 'BTC-USDT', 'BTC/USDT', 'BTCUSDT', 'btc/usdt'])('%s in USDT is BTC', (symbol) => {
    expect(normaliseInstrument({ ...bitcoin, symbol }, TABLE_VENUES)).toEqual(bitcoin);
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
        const once = normaliseInstrument(
          { market, symbol, venue: name, asset_class: 'spot', quote_currency },
          TABLE_VENUES,
        );
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
    const context = { market: 'crypto', quote_currency: null } as const;
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

  test('perpetuals only on BINANCE, BYBIT and OKX, in USDT', () => {
    const perp = (venue: string, quote_currency: string) =>
      faultsOf({ ...bitcoin, asset_class: 'perp', venue, quote_currency });
    for (const venue of ['BINANCE', 'BYBIT', 'OKX']) {
      expect(perp(venue, 'USDT')).toEqual([]);
      expect(perp(venue, 'USDC')).toEqual(['quote_currency']);
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
