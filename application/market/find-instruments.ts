import { INSTRUMENT_SEARCH } from '../../domain/limits.ts';
import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import { normaliseSymbol } from '../../domain/market/symbol.ts';
import {
  ASSET_CLASSES,
  MARKETS,
  type Market,
  numbersItsListings,
  type Venue,
  type Venues,
} from '../../domain/market/venues.ts';
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
  /** `similar`: within two edits of the text; only where nothing equals it or begins with it. */
  readonly match: 'exact' | 'prefix' | 'similar';
  /** The venues that a submission may name with it. */
  readonly venues: readonly string[];
  /** The instruments of the symbol that a price source has verified; none unless the match is exact. */
  readonly verified: readonly Instrument[];
}

export interface FoundInstruments {
  readonly items: readonly FoundSymbol[];
  /** The venues that the items name. */
  readonly venues: readonly Venue[];
}

type SearchPorts = Pick<Ports, 'symbols' | 'venues' | 'instruments'>;

/**
 * The symbols that a text may mean, the likeliest first, with what a submission may say of each. It knows the listed
 * tickers, the coins of the bar files and the verified pairs of a coin. Further crypto pairs may exist.
 */
export async function findInstruments(
  ports: SearchPorts,
  { query, market, limit = INSTRUMENT_SEARCH.byDefault }: InstrumentSearch,
): Promise<FoundInstruments> {
  const markets = market === undefined ? MARKETS : [market];
  const sought = markets.flatMap((each) => {
    const symbol = normaliseSymbol(query, { market: each, quote_currency: null });
    return symbol === null ? [] : [{ market: each, symbol }];
  });
  const exact = await Promise.all(sought.map((one) => exactly(ports, one)));
  const longer = sought.flatMap((one) => beginning(ports, one, limit));
  const found = [...exact.flat(), ...longer.sort(byLength)];
  const items = (found.length > 0 ? found : sought.flatMap((one) => similar(ports, one, limit))).slice(0, limit);
  const named = new Set(items.flatMap(({ venues }) => venues));
  return {
    items,
    venues: MARKETS.flatMap((each) => venuesOf(ports.venues, each)).filter(({ name }) => named.has(name)),
  };
}

type Sought = Pick<Instrument, 'market' | 'symbol'>;

async function exactly({ symbols, venues, instruments }: SearchPorts, sought: Sought): Promise<FoundSymbol[]> {
  const { market, symbol } = sought;
  const possible = venuesWith(venues, sought);
  const isListed = market === 'stock' ? symbols.known(symbol) : symbols.beginning(market, symbol, 1)[0] === symbol;
  if (market === 'stock' && !isListed) return [];
  const records = await instruments.find(possible.flatMap((venue) => instrumentsOn(venue, sought)));
  const verified = records.filter(({ status }) => status === 'verified').map(({ instrument }) => instrument);
  if (!isListed && verified.length === 0) return [];
  verified.sort((a, b) => (instrumentKey(a) < instrumentKey(b) ? -1 : 1));
  return [{ ...sought, match: 'exact', venues: possible.map(({ name }) => name), verified }];
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
  return { ...sought, match, venues: venuesWith(venues, sought).map(({ name }) => name), verified: [] };
}

/** Six digits are a code of the venues that number their listings, every other ticker is one of the others. */
function venuesWith(venues: Venues, { market, symbol }: Sought): readonly Venue[] {
  const isNumber = /^\d{6}$/.test(symbol);
  return venuesOf(venues, market).filter(({ name }) => market !== 'stock' || numbersItsListings(name) === isNumber);
}

function venuesOf(venues: Venues, market: Market): readonly Venue[] {
  return venues.namesOf(market).flatMap((name) => venues.named(name) ?? []);
}

function instrumentsOn({ name: venue, quotes }: Venue, { market, symbol }: Sought): Instrument[] {
  return ASSET_CLASSES.flatMap((asset_class) =>
    (quotes[asset_class] ?? []).map((quote_currency) => ({ market, symbol, venue, asset_class, quote_currency })),
  );
}

function byLength(a: Sought, b: Sought): number {
  return a.symbol.length - b.symbol.length || (a.symbol < b.symbol ? -1 : 1);
}
