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

const US = { market: 'stock', quotes: { spot: ['USD'] } } as const;
const CHINA = { market: 'stock', quotes: { spot: ['CNY'] } } as const;

/** The venues that are always supported, stocks first. Perpetuals are linear USDT contracts. */
export const VENUES: readonly Venue[] = [
  { name: 'NYSE', ...US },
  { name: 'NASDAQ', ...US },
  { name: 'AMEX', ...US },
  { name: 'ARCA', ...US },
  { name: 'OTC', ...US },
  { name: 'SSE', ...CHINA },
  { name: 'SZSE', ...CHINA },
  exchange('BINANCE', ['USDT', 'USDC', 'FDUSD', 'BTC', 'ETH', 'EUR'], ['USDT']),
  exchange('COINBASE', ['USD', 'USDT', 'USDC', 'EUR', 'GBP', 'BTC', 'ETH']),
  exchange('KRAKEN', ['USD', 'USDT', 'USDC', 'EUR', 'GBP', 'BTC', 'ETH']),
  exchange('BYBIT', ['USDT', 'USDC', 'EUR', 'BTC'], ['USDT']),
  exchange('OKX', ['USDT', 'USDC', 'USD', 'EUR', 'BTC', 'ETH'], ['USDT']),
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
  const known = further.find((name) => VENUES.some((venue) => venue.name === name));
  if (known !== undefined) throw new RangeError(`${known} is supported as it is`);
  const all = [...VENUES, ...further.map((name) => exchange(name, FURTHER_QUOTES, ['USDT']))];
  const byName = new Map(all.map((venue) => [venue.name, venue]));
  return {
    named: (name) => byName.get(name),
    namesOf: (market) => [...byName.values()].filter((venue) => venue.market === market).map(({ name }) => name),
  };
}

/** The venues of the table alone. */
export const TABLE_VENUES: Venues = venuesWith([]);

/** The venues of the United States: a ticker names the same stock on all of them. */
export function usVenues(): readonly string[] {
  return VENUES.filter(({ market, quotes }) => market === 'stock' && quotes.spot?.includes('USD')).map(
    ({ name }) => name,
  );
}

/** Whether the venue names its instruments by six digits instead of a ticker. */
export function numbersItsListings(venue: string): boolean {
  return venue === 'SSE' || venue === 'SZSE';
}

function exchange(name: string, spot: readonly string[], perp?: readonly string[]): Venue {
  return { name, market: 'crypto', quotes: perp === undefined ? { spot } : { spot, perp } };
}
