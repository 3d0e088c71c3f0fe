import { type Bar, lengthOf } from '../../domain/market/bars.ts';
import { type Listing, type MarketData, openCoverage } from '../../domain/market/market-data.ts';
import { DAY, type Millis } from '../../domain/time.ts';

/** A source of prices that grow by the same share every day, and everything that can go wrong with it. */
export interface MadePrices extends MarketData {
  /** The symbols it knows. */
  readonly known: Set<string>;
  /** The errors that requests for a symbol throw. */
  readonly failures: Map<string, Error>;
  /** The times of the last trades, by symbol. */
  readonly delisted: Map<string, Millis>;
  /** Symbols whose intraday bars it does not have yet. */
  readonly behind: Set<string>;
  /** The requests to it, such as `describe BTC` and `1m BTC`. */
  readonly asked: string[];
}

/** The log return of a day, and so its volatility. */
const DAILY_GROWTH = 0.01;

export const LISTING: Listing = {
  source: 'made up',
  sizes: ['1m', '1h', '1d'],
  history_from: Date.UTC(2020, 0, 1),
  delisted_at: null,
  cadence: 'continuous',
};

export function madePrices(...symbols: readonly string[]): MadePrices {
  const known = new Set(symbols);
  const failures = new Map<string, Error>();
  const behind = new Set<string>();
  const delisted = new Map<string, Millis>();
  const asked: string[] = [];
  const ask = (what: string, symbol: string) => {
    asked.push(`${what} ${symbol}`);
    const failure = failures.get(symbol);
    if (failure) throw failure;
  };
  return {
    known,
    failures,
    delisted,
    behind,
    asked,
    async describe({ symbol }) {
      ask('describe', symbol);
      return known.has(symbol) ? { ...LISTING, delisted_at: delisted.get(symbol) ?? null } : null;
    },
    coverage: async () => [openCoverage(LISTING.source, () => LISTING.history_from)],
    async bars({ symbol }, size, from, to, now) {
      ask(size, symbol);
      const length = lengthOf(size);
      const missing = size !== '1d' && behind.has(symbol);
      return {
        source: LISTING.source,
        size,
        dropped: 0,
        bars: missing ? [] : barsWithin(length, from, Math.min(to, now, delisted.get(symbol) ?? now)),
      };
    },
  };
}

function barsWithin(length: Millis, from: Millis, to: Millis): Bar[] {
  const first = Math.ceil(from / length) * length;
  const count = Math.max(0, Math.floor((to - first) / length));
  return Array.from({ length: count }, (_, i) => barAt(first + i * length, length));
}

function barAt(start: Millis, length: Millis): Bar {
  const [open, close] = [priceAt(start), priceAt(start + length)];
  const high = length === DAY ? close * (1 + STEP) : close;
  return { start, end: start + length, open, high, low: open, close, volume: 1, split: 1, total: 1 };
}

/** A step of the price that no method finds too coarse. */
const STEP = 1e-5;

function priceAt(at: Millis): number {
  return 100 * Math.exp((DAILY_GROWTH * (at - LISTING.history_from)) / DAY);
}
