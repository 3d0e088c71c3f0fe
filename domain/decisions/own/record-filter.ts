import { normaliseSymbol, upperAscii } from '../../market/symbol.ts';
import { MARKETS, type Market } from '../../market/venues.ts';
import type { ProblemDetail } from '../../problem.ts';

/** The instrument filters of an owner's list, as sent (interface.md 4.3). */
export interface InstrumentQuery {
  readonly market?: Market | undefined;
  readonly symbol?: string | undefined;
  readonly quote_currency?: string | undefined;
}

/** `market:symbol` as stored with records. */
export type MarketSymbol = `${Market}:${string}`;

/**
 * The stored symbols that match a filter's `symbol`: spelled as in a submission, in the pinned market or else in each,
 * and with the pinned quote cut off. Null without a symbol; a fault when it is a symbol of no market.
 */
export function symbolsMeant(query: InstrumentQuery): readonly MarketSymbol[] | null | ProblemDetail {
  const { market, symbol, quote_currency } = query;
  if (symbol === undefined) return null;
  const quote = upperAscii(quote_currency ?? '');
  const meant = (market ? [market] : MARKETS).flatMap((each): MarketSymbol[] => {
    const normalised = normaliseSymbol(symbol, { market: each, quote_currency: quote });
    return normalised === null ? [] : [`${each}:${normalised}`];
  });
  if (meant.length > 0) return meant;
  return { path: 'symbol', message: 'must be a ticker such as MSFT, or a base asset such as BTC', received: symbol };
}
