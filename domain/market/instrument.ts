export const MARKETS = ['stock', 'crypto'] as const;
export type Market = (typeof MARKETS)[number];

export const ASSET_CLASSES = ['spot', 'perp'] as const;
export type AssetClass = (typeof ASSET_CLASSES)[number];

/** The five identity fields of interface.md 2.1, normalised: two spellings of one instrument are equal here. */
export interface Instrument {
  readonly market: Market;
  /** Stock: the ticker, class shares with a dot (`BRK.B`). Crypto: the base asset alone (`BTC`). */
  readonly symbol: string;
  readonly venue: string;
  readonly asset_class: AssetClass;
  readonly quote_currency: string;
}

/** One text per instrument, `crypto:BTC:COINBASE:spot:USD`; a key of caches, rows and locks. */
export function instrumentKey({ market, symbol, venue, asset_class, quote_currency }: Instrument): string {
  return `${market}:${symbol}:${venue}:${asset_class}:${quote_currency}`;
}
