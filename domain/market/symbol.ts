import type { Market } from './venues.ts';

/** The context of a symbol: a stock's venue decides its form, a crypto pair's quote is cut off. */
export interface SymbolContext {
  readonly market: Market;
  /** Upper-case; `null` where a filter pins none. */
  readonly quote_currency: string | null;
}

/**
 * Coins whose own name ends like a quote: the bare `WBTC` is the coin, never W quoted in BTC. A caller who means the
 * pair writes the separator (`W-BTC`).
 */
const WHOLE_NAMES: ReadonlySet<string> = new Set([
  ...['BUSD', 'FDUSD', 'GUSD', 'PYUSD', 'RLUSD', 'TUSD'],
  ...['CBBTC', 'TBTC', 'WBTC'],
  ...['BETH', 'CBETH', 'RETH', 'STETH', 'WBETH', 'WETH', 'WSTETH'],
]);

/** The quotes that no other coin's name ends with. */
const TETHERS: readonly string[] = ['USDT', 'USDC'];

const LONGEST = 40;
const TICKER = /^[A-Z0-9]{1,10}(\.[A-Z0-9]{1,4}){0,2}$/;
const ASSET = /^[A-Z0-9]{1,20}$/;

/**
 * The one spelling of a symbol (settled.md section 3): upper-case, class shares with a dot (`BRK/B` is `BRK.B`,
 * preferred shares `ABR^B` are `ABR.PRB`), of a crypto pair only the base asset. A stock symbol never loses a suffix.
 * @returns null for what cannot be a symbol, including one with another quote than the context's
 */
export function normaliseSymbol(raw: string, { market, quote_currency }: SymbolContext): string | null {
  const symbol = upperAscii(raw);
  if (symbol === null) return null;
  return market === 'stock' ? ticker(symbol) : baseAsset(symbol, quote_currency);
}

/** Trimmed and upper-cased; null for empty or overlong text and for letters beyond ASCII, which could upper-case into it. */
export function upperAscii(raw: string): string | null {
  const text = raw.trim();
  return text.length <= LONGEST && /^[\x21-\x7e]+$/.test(text) ? text.toUpperCase() : null;
}

function ticker(symbol: string): string | null {
  const dotted = symbol.replace('^', '.PR').replace(/[/-]/, '.');
  return TICKER.test(dotted) ? dotted : null;
}

function baseAsset(symbol: string, quote: string | null): string | null {
  const [base = '', pairedWith, ...more] = symbol.split(/[-/]/);
  if (more.length > 0 || !ASSET.test(base)) return null;
  if (pairedWith !== undefined && !(quote === null ? ASSET.test(pairedWith) : pairedWith === quote)) return null;
  const asset = withoutQuote(base, quote === null ? TETHERS : [quote]);
  return asset === quote || namesAnotherQuote(asset) ? null : asset;
}

/** Repeats until nothing is cut off, so that a normalised symbol stays as it is. */
function withoutQuote(symbol: string, quotes: readonly string[]): string {
  if (WHOLE_NAMES.has(symbol)) return symbol;
  const quote = quotes.find((suffix) => symbol.length > suffix.length && symbol.endsWith(suffix));
  return quote === undefined ? symbol : withoutQuote(symbol.slice(0, -quote.length), quotes);
}

/** `BTCUSDT` with quote USDC: no coin has that name, so the caller means another pair than the fields say. */
function namesAnotherQuote(asset: string): boolean {
  return TETHERS.some((quote) => asset.length > quote.length && asset.endsWith(quote));
}
