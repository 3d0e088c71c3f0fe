import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { normaliseSymbol } from '../../../domain/market/symbol.ts';
import { nearestSymbols, type SymbolDirectory } from '../../../domain/market/symbol-directory.ts';
import type { Market } from '../../../domain/market/venues.ts';
import { instrumentsIn } from '../files/bar-folder.ts';

/**
 * A directory of exactly these tickers, in any spelling; what is no ticker at all is left out.
 * @param past known too, and never suggested
 * @param coins the base assets of crypto pairs, normalised
 */
export function symbolDirectory(
  tickers: Iterable<string>,
  past: Iterable<string> = [],
  coins: Iterable<string> = [],
): SymbolDirectory {
  const [suggested, others] = [normalisedSet(tickers), normalisedSet(past)];
  const listed = { stock: suggested, crypto: new Set(coins) };
  return {
    known: (symbol) => suggested.has(symbol) || others.has(symbol) || /^\d{6}$/.test(symbol),
    nearest: (symbol, count) => nearestSymbols(symbol, suggested, count),
    hasLeft: () => false,
    beginning(market, text, count) {
      return [...listed[market]]
        .filter((symbol) => symbol.startsWith(text))
        .sort()
        .slice(0, count);
    },
  };
}

/** The tickers that come with the project: US listings of August 2026, and those of the end of 2022 that have left since. */
export interface PackagedTickers {
  readonly listed: readonly string[];
  readonly past: readonly string[];
}

/** The origin, date and licence of each list are the first lines of its file. */
export function packagedTickers(): PackagedTickers {
  return { listed: tickersIn('us-tickers.txt'), past: tickersIn('us-tickers-past.txt') };
}

function tickersIn(file: string): readonly string[] {
  const lines = readFileSync(join(import.meta.dirname, file), 'utf8').split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('#'));
}

/** The symbols of a bar store, by market; none when there is no store yet. */
export async function storedSymbols(store: string): Promise<Readonly<Record<Market, readonly string[]>>> {
  const instruments = await instrumentsIn(store);
  const of = (wanted: Market) => instruments.filter(({ market }) => market === wanted).map(({ symbol }) => symbol);
  return { stock: of('stock'), crypto: of('crypto') };
}

function normalisedSet(tickers: Iterable<string>): ReadonlySet<string> {
  return new Set(Array.from(tickers, normalised).filter((symbol) => symbol !== null));
}

function normalised(ticker: string): string | null {
  return normaliseSymbol(ticker, { market: 'stock', quote_currency: null });
}
