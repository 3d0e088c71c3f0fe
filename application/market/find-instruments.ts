import { INSTRUMENT_SEARCH } from '../../domain/limits.ts';
import type { Instrument } from '../../domain/market/instrument.ts';
import { normaliseSymbol } from '../../domain/market/symbol.ts';
import { MARKETS, type Market, stockVenuesOf, type Venue, type Venues } from '../../domain/market/venues.ts';
import type { Ports } from '../ports.ts';

export interface InstrumentSearch {
  /** A symbol, or the beginning of one, in any spelling of a submission. */
  readonly query: string;
  readonly market?: Market | undefined;
  readonly limit?: number | undefined;
}

export interface FoundSymbol {
  readonly market: Market;
  readonly symbol: string;
  /**
   * `similar`: within two edits of the text; only where nothing equals it or begins with it. `unlisted`: a coin of which
   * nothing is known here, so that a price source decides after the submission.
   */
  readonly match: 'exact' | 'prefix' | 'similar' | 'unlisted';
  /** The venues that a submission may name with it. */
  readonly venues: readonly string[];
}

export interface FoundInstruments {
  readonly items: readonly FoundSymbol[];
  /** The venues that the items name. */
  readonly venues: readonly Venue[];
}

type SearchPorts = Pick<Ports, 'symbols' | 'venues'>;

/**
 * The symbols that a text may mean, the likeliest first, with what a submission may say of each. It knows the listed
 * tickers and the coins of the bar files. What others have submitted does not change it: a coin that was verified for one
 * agent would show that somebody decides on it.
 */
export function findInstruments(
  ports: SearchPorts,
  { query, market, limit = INSTRUMENT_SEARCH.byDefault }: InstrumentSearch,
): FoundInstruments {
  const sought = (market === undefined ? MARKETS : [market]).flatMap((each) => {
    const symbol = normaliseSymbol(query, { market: each, quote_currency: null, coins: ports.symbols });
    return symbol === null ? [] : [{ market: each, symbol }];
  });
  const exact = sought.filter((one) => isListed(ports, one)).map((one) => foundSymbol(ports.venues, one, 'exact'));
  const longer = sought.flatMap((one) => beginning(ports, one, limit));
  const found = [...exact, ...longer.sort(byLength)];
  const others = found.length > 0 ? [] : sought.flatMap((one) => similar(ports, one, limit));
  const coin = market === 'crypto' && exact.length === 0 ? sought : [];
  const unlisted = coin.map((one) => foundSymbol(ports.venues, one, 'unlisted'));
  const items = [...unlisted, ...found, ...others].slice(0, limit);
  const named = new Set(items.flatMap(({ venues }) => venues));
  return {
    items,
    venues: MARKETS.flatMap((each) => venuesOf(ports.venues, each)).filter(({ name }) => named.has(name)),
  };
}

type Sought = Pick<Instrument, 'market' | 'symbol'>;

function isListed({ symbols }: SearchPorts, { market, symbol }: Sought): boolean {
  return market === 'stock' ? symbols.known(symbol) : symbols.beginning(market, symbol, 1)[0] === symbol;
}

function beginning({ symbols, venues }: SearchPorts, { market, symbol: text }: Sought, limit: number): FoundSymbol[] {
  return symbols
    .beginning(market, text, limit + 1)
    .filter((symbol) => symbol !== text)
    .map((symbol) => foundSymbol(venues, { market, symbol }, 'prefix'));
}

function similar({ symbols, venues }: SearchPorts, { market, symbol: text }: Sought, limit: number): FoundSymbol[] {
  if (market !== 'stock') return [];
  return symbols.nearest(text, limit).map((symbol) => foundSymbol(venues, { market, symbol }, 'similar'));
}

function foundSymbol(venues: Venues, sought: Sought, match: FoundSymbol['match']): FoundSymbol {
  return { ...sought, match, venues: venuesWith(venues, sought).map(({ name }) => name) };
}

/** Those whose tickers have the form of the symbol. */
function venuesWith(venues: Venues, { market, symbol }: Sought): readonly Venue[] {
  const possible = stockVenuesOf(symbol);
  return venuesOf(venues, market).filter(({ name }) => market !== 'stock' || possible.includes(name));
}

function venuesOf(venues: Venues, market: Market): readonly Venue[] {
  return venues.namesOf(market).flatMap((name) => venues.named(name) ?? []);
}

function byLength(a: Sought, b: Sought): number {
  return a.symbol.length - b.symbol.length || (a.symbol < b.symbol ? -1 : 1);
}
