import type { ProblemDetail } from '../problem.ts';
import { currencyName, type KnownCoins, normaliseSymbol, upperAscii } from './symbol.ts';
import {
  ASSET_CLASSES,
  type AssetClass,
  MARKETS,
  type Market,
  numbersItsListings,
  stockVenue,
  stockVenuesOf,
  suffixVenue,
  TABLE_VENUES,
  type Venue,
  type Venues,
  venueName,
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
  const sentVenue = upperAscii(sent.venue) ?? '';
  const venue = venues.named(sentVenue);
  const quote_currency = currencyName(sent.quote_currency) ?? '';
  const quoted = venue?.quotes[asset_class ?? 'spot']?.includes(quote_currency) ? quote_currency : null;
  const symbol =
    market &&
    indexAt(venue?.name, normaliseSymbol(sent.symbol, { market, quote_currency: quoted, coins, venue: sentVenue }));
  // Without a market a symbol is a fault only if no market has such symbols.
  const isSymbol = market
    ? symbol && fitsVenue(symbol, venue)
    : MARKETS.some((each) => normaliseSymbol(sent.symbol, { market: each, quote_currency: quoted }));
  const faults = [
    ...(market ? [] : [fault(sent, 'market', `send ${list(MARKETS)}`)]),
    ...(isSymbol ? [] : [fault(sent, 'symbol', symbolAdvice(sent, { market, venue, quote: quoted }))]),
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
  const [sentVenue, quote_currency] = [upperAscii(sent.venue) ?? '', currencyIn(sent.quote_currency)];
  const venue = NAME.test(sentVenue) ? venueName(sentVenue) : null;
  const symbols = (market ? [market] : MARKETS).map((each) =>
    normaliseSymbol(sent.symbol, { market: each, quote_currency, coins, venue: sentVenue }),
  );
  const symbol = indexAt(venue, symbols.find((each) => each !== null) ?? null);
  if (market && symbol && venue && asset_class && quote_currency) {
    return { market, symbol, venue, asset_class, quote_currency };
  }
  return [
    ...(market ? [] : [fault(sent, 'market', `send ${list(MARKETS)}`)]),
    ...(symbol ? [] : [fault(sent, 'symbol', symbolAdvice(sent, { market, quote: quote_currency }))]),
    ...(venue ? [] : [fault(sent, 'venue', 'send up to 20 letters and digits')]),
    ...(asset_class ? [] : [fault(sent, 'asset_class', `send ${list(ASSET_CLASSES)}`)]),
    ...(quote_currency ? [] : [fault(sent, 'quote_currency', 'send up to 20 letters and digits')]),
  ];
}

/** What an operator names: as a caller spells it, or else as it is stored, such as RELIANCE.NS at BSE. */
export function orAsStored(
  read: (coins?: KnownCoins) => Instrument | ProblemDetail[],
  coins: KnownCoins | undefined,
): Instrument | ProblemDetail[] {
  const sent = read(coins);
  const stored = Array.isArray(sent) ? read() : sent;
  return Array.isArray(stored) ? sent : stored;
}

function currencyIn(sent: string): string | null {
  const name = currencyName(sent);
  return name !== null && NAME.test(name) ? name : null;
}

const SSE_INDEX = /^000\d{3}(\.SS)?$/;

/** The indices of Shanghai have the codes of shares of Shenzhen: their symbols end in `.SS` (securities.md 1). */
export function indexAt(venue: string | null | undefined, symbol: string | null): string | null {
  return venue === 'SSE' && symbol !== null && /^000\d{3}$/.test(symbol) ? `${symbol}.SS` : symbol;
}

/** Whether a symbol is an index of Shanghai or Shenzhen, whose level is the price of no share. */
export function isIndexOfChina(symbol: string): boolean {
  return /^(000\d{3}\.SS|399\d{3})$/.test(symbol);
}

/** The six digits by which Shanghai and Shenzhen list a symbol of theirs. */
export function listingCode(symbol: string): string {
  return symbol.replace(/\.SS$/, '');
}

/**
 * What to send instead of a ticker that names stocks of several venues, such as 0700, and none of those whose symbols have
 * no suffix; null for every other symbol.
 */
export function unplacedAdvice(symbol: string, coins: KnownCoins): string | null {
  const at = (venue?: string) => normaliseSymbol(symbol, { market: 'stock', quote_currency: null, coins, venue });
  const unplaced = at();
  if (unplaced === null || stockVenuesOf(unplaced).length > 0) return null;
  const candidates = TABLE_VENUES.namesOf('stock').flatMap((venue) => {
    const found = isNumber(symbol) && !listsNumbers(venue) ? null : at(venue);
    return found === null || found === unplaced ? [] : [found];
  });
  if (candidates.length === 0) return null;
  return `must have the suffix of its venue. Send one of ${[...new Set(candidates)].join(', ')}`;
}

function oneOf<T extends string>(known: readonly T[], sent: string): T | undefined {
  const word = sent.trim().toLowerCase();
  return known.find((one) => one === word);
}

/** Longer than the few tickers of letters that are a number, such as 360. */
function isNumber(symbol: string): boolean {
  return /^\d{4,}$/.test(symbol);
}

/** Whether its tickers are numbers, or those that are have a form of their own. */
function listsNumbers(venue: string): boolean {
  const shape = stockVenue(venue)?.shape;
  return ['ABCD', '1234'].some((ticker) => shape?.test(ticker) === false);
}

function fitsVenue(symbol: string, venue: Venue | undefined): boolean {
  if (venue?.name === 'SSE' && SSE_INDEX.test(symbol)) return symbol.endsWith('.SS');
  const { suffixes = [], shape } = stockVenue(venue?.name ?? '') ?? {};
  return suffixes.length > 0 || !shape || (shape.test(symbol) && suffixVenue(symbol) === undefined);
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

interface AdviceContext {
  readonly market: Market | undefined;
  readonly venue?: Venue | undefined;
  readonly quote: string | null;
}

function symbolAdvice(sent: InstrumentAsSent, { market, venue, quote }: AdviceContext): string {
  if (market === 'stock') return venue ? tickerAdvice(sent, venue) : US_FORM;
  if (!market) return 'send the symbol of an instrument of the market, such as MSFT or BTC';
  return `send the base asset alone, such as BTC, or a pair quoted in ${quote ?? 'the quote_currency'}`;
}

const US_FORM = 'send the ticker, class shares with a dot, such as MSFT or BRK.B';

/** The ticker that was meant, as far as its text shows it, else the form; and the venue that has the symbol as sent. */
function tickerAdvice(sent: InstrumentAsSent, venue: Venue): string {
  const name = upperAscii(sent.venue) ?? venue.name;
  const meant = meantSymbol(sent.symbol, name, venue);
  const advice = meant === undefined ? formAdvice(name, venue) : `for the listing on ${name} send ${meant}`;
  const symbol = upperAscii(sent.symbol) ?? '';
  const [elsewhere] = suffixVenue(symbol)?.names ?? [];
  if (elsewhere === undefined || elsewhere === name || !symbolAt(symbol, elsewhere)) return advice;
  return `${advice}${meant === undefined ? ';' : ','} for ${symbol} send venue ${elsewhere}`;
}

function formAdvice(name: string, venue: Venue): string {
  const { suffixes = [], aliases, reference = [] } = stockVenue(name) ?? {};
  const fixed = aliases?.get(name);
  const own = fixed ? [fixed] : suffixes;
  const example = reference.find(({ symbol }) => own.some((suffix) => symbol.endsWith(`.${suffix}`)))?.symbol;
  const such = example === undefined ? '' : `, such as ${example}`;
  if (own.length > 0)
    return `on ${name} send the ticker with ${list(own.map((each) => `.${each}`))}, or without${such}`;
  if (!numbersItsListings(venue.name)) return US_FORM;
  return `on ${name} send the six digits of the code alone, such as ${venue.name === 'SSE' ? '600000' : '000001'}`;
}

const NO_COINS: KnownCoins = { knowsCoin: () => false };

function symbolAt(symbol: string, venue: string | undefined): string | null {
  return normaliseSymbol(symbol, { market: 'stock', quote_currency: null, coins: NO_COINS, venue });
}

/**
 * The symbols of the venue in a text that names one with something else: the name of an exchange (`NSE:RELIANCE`), a suffix
 * of another list (`VOD.LN`), or a number that has lost its zeros (`5930`). Numbers of Shanghai begin with none.
 */
function meantSymbol(text: string, name: string, venue: Venue): string | undefined {
  const { shape = /$/, aliases, suffixes = [] } = stockVenue(name) ?? {};
  const word = /([^:\s]*)(\s[^:]*)?$/.exec(text.trim().toUpperCase())?.[1] ?? '';
  const [, bare = word, suffix = ''] = /^(.+)[.-]([A-Z]{1,6})$/.exec(word) ?? [];
  const [, number] = /^[A-Z]{0,4}(\d{1,6})(?:[A-Z]{2,4})?$/.exec(bare) ?? [];
  const digits = number === undefined || shape.test('ABCD') ? [] : [number];
  const padded = digits.flatMap((each) => [
    String(Number(each)),
    ...(venue.name === 'SSE' ? [] : [4, 5, 6].map((length) => each.padStart(length, '0'))),
  ]);
  const fixed = aliases?.get(suffix) ?? suffix;
  const tried = [word, bare, ...digits, ...padded].flatMap((each) => [`${each}.${fixed}`, each]);
  const fits = (symbol: string | null): symbol is string => symbol !== null && fitsVenue(symbol, venue);
  const found = tried.map((each) => indexAt(venue.name, symbolAt(each, name))).find(fits);
  if (found === undefined || suffixes.length < 2 || aliases?.get(name) || suffixes.includes(fixed)) return found;
  // Without the suffix of a market it may be listed in each of them.
  return list(suffixes.map((each) => found.replace(/[^.]+$/, each)));
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
