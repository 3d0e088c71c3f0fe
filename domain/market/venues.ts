import { STOCK_VENUES } from './venues/stock-venues.ts';
import type { VenueData } from './venues/venue-file.ts';

export const MARKETS = ['stock', 'crypto'] as const;
export type Market = (typeof MARKETS)[number];

export const ASSET_CLASSES = ['spot', 'perp'] as const;
export type AssetClass = (typeof ASSET_CLASSES)[number];

/** What a venue trades: the quote currencies of each asset class (settled.md section 3). */
export interface Venue {
  readonly name: string;
  readonly market: Market;
  readonly quotes: Readonly<Partial<Record<AssetClass, readonly string[]>>>;
}

/** What linear perpetuals are quoted and settled in. */
const PERPETUAL_QUOTES: readonly string[] = ['USDT', 'USDC'];

/** The venues that are always supported, stocks first. Perpetuals are linear contracts. */
export const VENUES: readonly Venue[] = [
  ...STOCK_VENUES.flatMap(({ names, quotes }) =>
    names.map((name): Venue => ({ name, market: 'stock', quotes: { spot: Object.keys(quotes) } })),
  ),
  exchange('BINANCE', ['USDT', 'USDC', 'FDUSD', 'BTC', 'ETH', 'EUR'], PERPETUAL_QUOTES),
  exchange('COINBASE', ['USD', 'USDT', 'USDC', 'EUR', 'GBP', 'BTC', 'ETH']),
  exchange('KRAKEN', ['USD', 'USDT', 'USDC', 'EUR', 'GBP', 'BTC', 'ETH']),
  exchange('BYBIT', ['USDT', 'USDC', 'EUR', 'BTC'], PERPETUAL_QUOTES),
  exchange('OKX', ['USDT', 'USDC', 'USD', 'EUR', 'BTC', 'ETH'], PERPETUAL_QUOTES),
];

/** The quotes of a venue outside the table; each may or may not be traded there. */
const FURTHER_QUOTES = ['USDT', 'USDC', 'USD', 'EUR', 'BTC', 'ETH'] as const;

/** The venues that a service supports. */
export interface Venues {
  /** The supported venue of that upper-case name. */
  named(name: string): Venue | undefined;
  /** The names of a market's venues. */
  namesOf(market: Market): readonly string[];
}

/**
 * The venues of the table with further crypto venues of these names. Every process of a service has the same ones.
 * @throws RangeError for a name of the table
 */
export function venuesWith(further: readonly string[]): Venues {
  const known = further.find((name) => stockVenue(name) || VENUES.some((venue) => venue.name === name));
  if (known !== undefined) throw new RangeError(`${known} is supported as it is`);
  const all = [...VENUES, ...further.map((name) => exchange(name, FURTHER_QUOTES, PERPETUAL_QUOTES))];
  const byName = new Map(all.map((venue) => [venue.name, venue]));
  return {
    named: (name) => byName.get(venueName(name)),
    namesOf: (market) => [...byName.values()].filter((venue) => venue.market === market).map(({ name }) => name),
  };
}

/** The venues of the table alone. */
export const TABLE_VENUES: Venues = venuesWith([]);

/** What is known of a stock venue, by its upper-case name or another one of it. */
export function stockVenue(name: string): VenueData | undefined {
  return stocksByName.get(name);
}

const stocksByName: ReadonlyMap<string, VenueData> = new Map(
  STOCK_VENUES.flatMap((data) => [...data.names, ...data.aliases.keys()].map((name) => [name, data] as const)),
);

/** The name under which records have a stock venue, of any of its names; others stay as they are. */
export function venueName(name: string): string {
  return stockVenue(name)?.aliases.has(name) ? (stockVenue(name)?.names[0] ?? name) : name;
}

/** The venue whose symbols end as this one does; undefined for a ticker of the United States or six digits of China. */
export function suffixVenue(symbol: string): VenueData | undefined {
  const dot = symbol.lastIndexOf('.');
  return dot > 0 ? venuesBySuffix.get(symbol.slice(dot + 1)) : undefined;
}

const venuesBySuffix: ReadonlyMap<string, VenueData> = new Map(
  STOCK_VENUES.flatMap((data) => data.suffixes.map((suffix) => [suffix, data] as const)),
);

/** The venues of the United States: a ticker names the same stock on all of them. */
export function usVenues(): readonly string[] {
  return stockVenue('NYSE')?.names ?? [];
}

/** Whether the venue names its instruments by six digits instead of a ticker. */
export function numbersItsListings(venue: string): boolean {
  return venue === 'SSE' || venue === 'SZSE';
}

/** The stock venues that may list a symbol, by its form: `0700.HK` is one of HKEX, six digits are of SSE and SZSE. */
export function stockVenuesOf(symbol: string): readonly string[] {
  const ofSuffix = suffixVenue(symbol);
  if (ofSuffix) return ofSuffix.names;
  return STOCK_VENUES.flatMap(({ suffixes, shape, names }) =>
    suffixes.length === 0 && shape.test(symbol) ? names : [],
  );
}

function exchange(name: string, spot: readonly string[], perp?: readonly string[]): Venue {
  return { name, market: 'crypto', quotes: perp === undefined ? { spot } : { spot, perp } };
}
