import type { Coin } from '../../../domain/circuits/coin.ts';
import type { RawPegQuote } from '../../../domain/circuits/peg.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { MalformedAnswer, numberOf } from '../answer.ts';

/** One exchange's word on a coin in USD; null where it has none. Throws `SourceUnavailable`. */
export type PegExchange = (coin: Coin) => Promise<Pick<RawPegQuote, 'price' | 'at'> | null>;

/** The ticker of an exchange for a market, as it was sent. */
export interface Ticker {
  readonly last: unknown;
  readonly bid: unknown;
  readonly ask: unknown;
}

/** Beyond a spread of 5 % nobody makes the market, and its last trade may be of any age. */
const WIDEST_SPREAD = 0.05;

/**
 * The last trade, brought within the best bid and the best ask: where trades are rare, the book knows first that a price
 * has gone. null for a book without a price: crossed, too wide, or empty on a side.
 * @throws MalformedAnswer for what is no number at all
 */
export function priceOf(ticker: Ticker): number | null {
  const [last, bid, ask] = [ticker.last, ticker.bid, ticker.ask].map(numberOf);
  if (last === undefined || bid === undefined || ask === undefined || Number.isNaN(last + bid + ask))
    throw new MalformedAnswer('not a ticker');
  const made = bid > 0 && last > 0 && ask >= bid && ask - bid <= WIDEST_SPREAD * bid;
  return made ? Math.min(Math.max(last, bid), ask) : null;
}

/** What the question is about, for logs. */
export function usdPair(coin: Coin, venue: string): Instrument {
  return { market: 'crypto', symbol: coin, venue, asset_class: 'spot', quote_currency: 'USD' };
}

/**
 * Two questions at once and one more in 5 s: two a minute are asked, and few again after failures. Kraken allows one a
 * second for each pair, Coinbase 10 a second, Bitstamp 10,000 in 10 minutes, Gemini 120 a minute; the evaluation's own
 * questions to Kraken and Coinbase leave them that much.
 */
export const PEG_ALLOWANCE = { perSecond: 0.2, burst: 2 };
