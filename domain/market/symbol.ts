import { COIN_CODES } from './shipped-names.ts';
import { MINOR_UNITS } from './venues/venue-file.ts';
import { type Market, stockVenue, suffixVenue } from './venues.ts';

/** Which coins there are: names of base assets, upper-case. */
export interface KnownCoins {
  /** Whether the list of coins, or the bar store, has a base asset of that name. */
  knowsCoin(symbol: string): boolean;
}

/** The context of a symbol: a stock's venue decides its form, a crypto pair's quote may be cut off. */
export interface SymbolContext {
  readonly market: Market;
  /** Upper-case; `null` where a filter pins none. */
  readonly quote_currency: string | null;
  /** Without it the symbol is an identity as stored: nothing is cut off it. */
  readonly coins?: KnownCoins | undefined;
  /** Upper-case, by any of its names; without it a suffix says which stock venue is meant. */
  readonly venue?: string | undefined;
}

/** The quotes of a filter that pins none: hardly a coin's own name ends with one of them. */
const TETHERS: readonly string[] = ['USDT', 'USDC'];

const LONGEST = 40;
/** With the number of a later security under a taken key: `FB~2`. */
const TICKER = /^[A-Z0-9]{1,10}(\.[A-Z0-9]{1,4}){0,2}(~[2-9])?$/;
const ASSET = /^[A-Z0-9]{1,20}(~[2-9])?$/;

/**
 * The one spelling of a symbol (settled.md sections 3 and 14): upper-case, class shares with a dot (`BRK/B` is `BRK.B`,
 * preferred shares `ABR^B` are `ABR.PRB`, rights `AIIAr` are `AIIA.RT`), of a crypto pair only the base asset. With a
 * separator, the part before it is the base. Without one, the quote is cut off only where the rest is a known coin and
 * the whole is none. A stock symbol never loses a suffix; that of a venue with suffixes gets one (securities.md section 1).
 * @returns null for what cannot be a symbol, including one with another quote than the context's
 */
export function normaliseSymbol(raw: string, { market, quote_currency, coins, venue }: SymbolContext): string | null {
  const suffixed = market === 'stock' ? suffixedTicker(raw, venue, coins === undefined) : undefined;
  if (suffixed !== undefined) return suffixed;
  const symbol = upperAscii(market === 'stock' ? withMark(raw.trim()) : raw);
  if (symbol === null) return null;
  return market === 'stock' ? ticker(symbol) : baseAsset(symbol, quote_currency, coins);
}

/**
 * Whether a reader may take the symbol as sent for another coin than the one that it was read as: it was written without
 * a separator and something was cut off, or nothing was although it ends with the quote and no such coin is known; or its
 * code was replaced. A stock ticker without a suffix at a venue with several of them got the first.
 */
export function isReading(
  raw: string,
  symbol: string,
  { market, quote_currency, coins, venue }: SymbolContext,
): boolean {
  const sent = upperAscii(raw);
  if (sent === null) return false;
  if (market === 'stock') {
    const { suffixes = [], aliases } = stockVenue(venue ?? '') ?? {};
    return suffixes.length > 1 && !aliases?.get(venue ?? '') && !suffixes.some((suffix) => sent.endsWith(`.${suffix}`));
  }
  const [first = ''] = sent.split(SEPARATOR);
  if (first !== symbol) return true;
  if (first !== sent || quote_currency === null) return false;
  return endsWith(sent, quote_currency) && !coins?.knowsCoin(sent);
}

/** Trimmed and upper-cased; null for empty or overlong text and for letters beyond ASCII, which could upper-case into it. */
export function upperAscii(raw: string): string | null {
  const text = raw.trim();
  return text.length <= LONGEST && /^[\x21-\x7e]+$/.test(text) ? text.toUpperCase() : null;
}

/**
 * The upper-case name of a currency. Pence are read by the case of their letters: `GBp` is GBX, a hundredth of GBP.
 * @returns null for what cannot be a name
 */
export function currencyName(raw: string): string | null {
  const minor = Object.keys(MINOR_UNITS).find((name) => MINOR_UNITS[name]?.spelling === raw.trim());
  const upper = upperAscii(raw);
  return minor ?? (upper && coinName(upper));
}

/** The name of a coin or currency in place of an exchange's code for it. */
function coinName(code: string): string {
  return COIN_CODES[code] ?? code;
}

const SEPARATOR = /[-/]/;

/** Small letters that mark the kind of a listing: preferred shares (`ABRpB`), rights (`AIIAr`), when issued (`ABCw`). */
const MARKS: readonly (readonly [RegExp, string])[] = [
  [/^([A-Z]+)p([A-Z]?)(?=$|[.w])/, '$1.PR$2'],
  [/^([A-Z]+)r(?=$|w)/, '$1.RT'],
  [/^([A-Z.]+)w$/, '$1.WI'],
];

/** Marks are read before the letters become one case; all of a ticker in small letters has none. */
function withMark(raw: string): string {
  return MARKS.reduce((text, [mark, suffix]) => text.replace(mark, suffix), raw);
}

/**
 * The ticker with its suffix, of a venue that has suffixes: `700` and `00700.HK` are `0700.HK`.
 * @returns null for what has not the form of its tickers; undefined for a symbol of another venue
 */
function suffixedTicker(raw: string, venue: string | undefined, isStored: boolean): string | null | undefined {
  const [, symbol = '', number = ''] = /^(.*?)(~[2-9])?$/.exec(upperAscii(raw) ?? '') ?? [];
  const named = stockVenue(venue ?? '');
  const own = suffixVenue(symbol);
  // A share of two venues has the key of one of them: RELIANCE.NS at BSE.
  const isElsewhere = own !== named && own?.suffixes.some((suffix) => symbol.endsWith(`.${suffix}`));
  if (isStored && named && named.suffixes.length > 0 && isElsewhere) return suffixedTicker(raw, undefined, isStored);
  const data = named ?? own;
  if (!data || data.suffixes.length === 0) return undefined;
  const sent = data.suffixes.find((suffix) => symbol.endsWith(`.${suffix}`));
  const fixed = data.aliases.get(venue ?? '') ?? sent ?? data.suffixes[0];
  const bare = sent === undefined ? symbol : symbol.slice(0, -sent.length - 1);
  const code = [bare, bare.replaceAll(/[-/]/g, '.')].find((each) => data.shape.test(each));
  if (code === undefined || (sent !== undefined && sent !== fixed)) return null;
  const padded = data.pad > 0 && /^\d+$/.test(code) ? String(Number(code)).padStart(data.pad, '0') : code;
  return `${padded}.${fixed}${number}`;
}

function ticker(symbol: string): string | null {
  const dotted = symbol.replace('^', '.PR').replace(SEPARATOR, '.');
  return TICKER.test(dotted) ? dotted : null;
}

function baseAsset(symbol: string, quote: string | null, coins: KnownCoins | undefined): string | null {
  const [first = '', pairedWith, ...more] = symbol.split(SEPARATOR);
  if (more.length > 0 || !ASSET.test(first)) return null;
  if (pairedWith !== undefined && !(quote === null ? ASSET.test(pairedWith) : coinName(pairedWith) === quote))
    return null;
  const base = coinName(pairedWith === undefined && coins ? withoutQuote(first, quote, coins) : first);
  const namesAnother = pairedWith === undefined && coins !== undefined && namesAnotherQuote(base, coins);
  return base === quote || namesAnother ? null : base;
}

/** The known coin before the quote, where the whole is none; else the whole. */
function withoutQuote(symbol: string, quote: string | null, coins: KnownCoins): string {
  const spellings = Object.entries(COIN_CODES).flatMap(([code, name]) => (name === quote ? [code] : []));
  const quotes = quote === null ? TETHERS : [quote, ...spellings];
  return coinBefore(symbol, quotes, coins) ?? symbol;
}

/** `BTCUSDT` with quote USDC: the caller means another pair than the fields say. */
function namesAnotherQuote(symbol: string, coins: KnownCoins): boolean {
  return coinBefore(symbol, TETHERS, coins) !== null;
}

function coinBefore(symbol: string, quotes: readonly string[], coins: KnownCoins): string | null {
  const quote = quotes.find((each) => endsWith(symbol, each));
  if (quote === undefined || coins.knowsCoin(symbol)) return null;
  const rest = symbol.slice(0, -quote.length);
  return coins.knowsCoin(coinName(rest)) ? rest : null;
}

function endsWith(symbol: string, quote: string): boolean {
  return symbol.length > quote.length && symbol.endsWith(quote);
}
