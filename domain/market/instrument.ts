import type { ProblemDetail } from '../problem.ts';
import { coinName, type KnownCoins, normaliseSymbol, upperAscii } from './symbol.ts';
import {
  ASSET_CLASSES,
  type AssetClass,
  MARKETS,
  type Market,
  numbersItsListings,
  type Venue,
  type Venues,
} from './venues.ts';

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

/** The identity fields of anything that carries them, such as a record. */
export function identityOf({ market, symbol, venue, asset_class, quote_currency }: Instrument): Instrument {
  return { market, symbol, venue, asset_class, quote_currency };
}

/** The five fields as a caller wrote them. */
export type InstrumentAsSent = Readonly<Record<keyof Instrument, string>>;

/**
 * The instrument that the five fields name (settled.md section 3), or all of their faults at once, each with what to
 * send instead. Normalising an instrument again changes nothing.
 * The symbol directory judges whether a ticker is listed.
 * @param venues those that the service supports
 * @param coins of what a caller sent; without them the fields are an identity as stored, whose symbol is not cut
 */
export function normaliseInstrument(
  sent: InstrumentAsSent,
  venues: Venues,
  coins?: KnownCoins,
): Instrument | ProblemDetail[] {
  const market = oneOf(MARKETS, sent.market);
  const asset_class = oneOf(ASSET_CLASSES, sent.asset_class);
  const venue = venues.named(upperAscii(sent.venue) ?? '');
  const quote_currency = coinName(upperAscii(sent.quote_currency) ?? '');
  const quoted = venue?.quotes[asset_class ?? 'spot']?.includes(quote_currency) ? quote_currency : null;
  const symbol = market && normaliseSymbol(sent.symbol, { market, quote_currency: quoted, coins });
  // Without a market a symbol is a fault only if no market has such symbols.
  const isSymbol = market
    ? symbol && fitsVenue(symbol, venue)
    : MARKETS.some((each) => normaliseSymbol(sent.symbol, { market: each, quote_currency: quoted }));
  const faults = [
    ...(market ? [] : [fault(sent, 'market', `send ${list(MARKETS)}`)]),
    ...(isSymbol ? [] : [fault(sent, 'symbol', symbolAdvice(market, venue, quoted))]),
    ...(venue && (!market || venue.market === market) ? [] : [fault(sent, 'venue', venueAdvice(market, venues))]),
    ...(asset_class ? [] : [fault(sent, 'asset_class', `send ${list(ASSET_CLASSES)}`)]),
    ...tradingFaults(sent, venue, asset_class, quote_currency),
  ];
  if (!market || !symbol || !venue || !asset_class || faults.length > 0) return faults;
  return { market, symbol, venue: venue.name, asset_class, quote_currency };
}

/** The form of a venue's and of a currency's name; names are parts of keys and of paths of files. */
const NAME = /^[A-Z0-9]{1,20}$/;

/**
 * The instrument that the five fields name, whether the service supports it or not: only market, asset class and the
 * form of the other names are judged. Where it is supported, this equals `normaliseInstrument`.
 */
export function namedInstrument(sent: InstrumentAsSent, coins?: KnownCoins): Instrument | ProblemDetail[] {
  const market = oneOf(MARKETS, sent.market);
  const asset_class = oneOf(ASSET_CLASSES, sent.asset_class);
  const [venue, quote_currency] = [nameIn(sent.venue), nameIn(sent.quote_currency)];
  const symbols = (market ? [market] : MARKETS).map((each) =>
    normaliseSymbol(sent.symbol, { market: each, quote_currency, coins }),
  );
  const symbol = symbols.find((each) => each !== null);
  if (market && symbol && venue && asset_class && quote_currency) {
    return { market, symbol, venue, asset_class, quote_currency };
  }
  return [
    ...(market ? [] : [fault(sent, 'market', `send ${list(MARKETS)}`)]),
    ...(symbol ? [] : [fault(sent, 'symbol', symbolAdvice(market, undefined, quote_currency))]),
    ...(venue ? [] : [fault(sent, 'venue', 'send up to 20 letters and digits')]),
    ...(asset_class ? [] : [fault(sent, 'asset_class', `send ${list(ASSET_CLASSES)}`)]),
    ...(quote_currency ? [] : [fault(sent, 'quote_currency', 'send up to 20 letters and digits')]),
  ];
}

function nameIn(sent: string): string | null {
  const name = upperAscii(sent);
  return name !== null && NAME.test(name) ? coinName(name) : null;
}

function oneOf<T extends string>(known: readonly T[], sent: string): T | undefined {
  const word = sent.trim().toLowerCase();
  return known.find((one) => one === word);
}

function fitsVenue(symbol: string, venue: Venue | undefined): boolean {
  if (venue?.market !== 'stock') return true;
  return numbersItsListings(venue.name) ? /^\d{6}$/.test(symbol) : /^[A-Z]/.test(symbol);
}

/** The faults of the combination of venue, asset class and quote. */
function tradingFaults(
  sent: InstrumentAsSent,
  venue: Venue | undefined,
  asset_class: AssetClass | undefined,
  quote: string,
): ProblemDetail[] {
  if (!venue) return quote === '' ? [fault(sent, 'quote_currency', 'send an upper-case currency such as USD')] : [];
  const quotes = venue.quotes[asset_class ?? 'spot'];
  if (!quotes) return [fault(sent, 'asset_class', `${venue.name} has no ${asset_class} here; send spot`)];
  if (quotes.includes(quote)) return [];
  return [fault(sent, 'quote_currency', `on ${venue.name} send ${list(quotes)}`)];
}

function symbolAdvice(market: Market | undefined, venue: Venue | undefined, quote: string | null): string {
  if (market === 'stock') {
    return venue && numbersItsListings(venue.name)
      ? `on ${venue.name} send the six digits of the code alone, such as 600000`
      : 'send the ticker, class shares with a dot, such as MSFT or BRK.B';
  }
  if (!market) return 'send the symbol of an instrument of the market, such as MSFT or BTC';
  return `send the base asset alone, such as BTC, or a pair quoted in ${quote ?? 'the quote_currency'}`;
}

function venueAdvice(market: Market | undefined, venues: Venues): string {
  return `send ${list((market ? [market] : MARKETS).flatMap(venues.namesOf))}`;
}

function fault(sent: InstrumentAsSent, path: keyof Instrument, advice: string): ProblemDetail {
  return { path, message: `${path} is not supported: ${advice}`, received: sent[path] };
}

function list(words: readonly string[]): string {
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` : words.join();
}
