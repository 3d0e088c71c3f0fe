import type { Millis } from '../time.ts';
import type { KnownCoins } from './symbol.ts';
import type { Market } from './venues.ts';

/** The files of the tickers listed in the United States; they do not overlap. */
export const SYMBOL_FILES = ['nasdaqlisted', 'otherlisted'] as const;

/**
 * The listed stock tickers, and the coins of the bar files and of a list; every submit asks, so it answers at once. It
 * does not know which crypto pairs exist.
 */
export interface SymbolDirectory extends KnownCoins {
  /** Whether the normalised ticker is listed: US venues list it by name, SSE and SZSE have any six digits. */
  known(symbol: string): boolean;
  /** Up to `count` known tickers that the caller may have meant, the likeliest first; none when nothing is near. */
  nearest(symbol: string, count: number): readonly string[];
  /** When the lists of the US exchanges first lacked the normalised ticker; null while they have it, or never had it. */
  leftAt(symbol: string): Millis | null;
  /** Up to `count` listed tickers, or coins, that begin with the normalised text, in order: so the text itself first. */
  beginning(market: Market, text: string, count: number): readonly string[];
}

/** More edits than this are another ticker, not a slip. */
const MOST_EDITS = 2;

/**
 * The candidates within two edits (a letter added, left out, replaced, or two neighbours swapped; punctuation is free),
 * fewest edits first. Among equals those with exactly the letters of the text come first, since typing errors swap and
 * double letters more often than they add others (APPL: AAPL before APP), then those with the same beginning.
 */
export function nearestSymbols(text: string, candidates: Iterable<string>, count: number): readonly string[] {
  const sought = lettersOf(text);
  const most = Math.min(MOST_EDITS, sought.length - 1);
  const near: Suggestion[] = [];
  for (const symbol of candidates) {
    const letters = lettersOf(symbol);
    if (Math.abs(letters.length - sought.length) > most) continue;
    const edits = editsBetween(sought, letters);
    if (edits <= most)
      near.push({ symbol, edits, sameLetters: setOf(letters) === setOf(sought), alike: sharedStart(letters, sought) });
  }
  return near
    .sort(byLikelihood)
    .slice(0, count)
    .map(({ symbol }) => symbol);
}

interface Suggestion {
  readonly symbol: string;
  readonly edits: number;
  readonly sameLetters: boolean;
  readonly alike: number;
}

function byLikelihood(a: Suggestion, b: Suggestion): number {
  return (
    a.edits - b.edits ||
    Number(b.sameLetters) - Number(a.sameLetters) ||
    b.alike - a.alike ||
    a.symbol.length - b.symbol.length ||
    (a.symbol < b.symbol ? -1 : 1)
  );
}

/** The optimal string alignment distance: Damerau-Levenshtein in which no substring is edited twice. */
function editsBetween(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
        swapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}

function lettersOf(symbol: string): string {
  return symbol.replace(/[^A-Z0-9]/g, '');
}

function setOf(letters: string): string {
  return [...new Set(letters)].sort().join('');
}

function sharedStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

export type SymbolFileName = (typeof SYMBOL_FILES)[number];

/** One of the files as fetched. */
export interface SymbolFile {
  readonly name: SymbolFileName;
  /** The creation time inside the file. */
  readonly created_at: Date;
  /** Normalised, each once, never empty. */
  readonly symbols: readonly string[];
}

export interface StoredSymbolFile {
  readonly name: SymbolFileName;
  readonly created_at: Date;
  /** The number of symbols. */
  readonly symbols: number;
  readonly stored_at: Date;
}

/** Where the files are fetched from. */
export interface SymbolSource {
  /** Returns all files. Throws `SourceUnavailable` unless every one arrived complete and well-formed. */
  fetch(): Promise<readonly SymbolFile[]>;
}

export interface ListedSymbols {
  readonly listed: readonly string[];
  /** Formerly listed symbols: records may be about that time. */
  readonly delisted: readonly DelistedSymbol[];
}

export interface DelistedSymbol {
  readonly symbol: string;
  /** When the files were stored that first lacked it. */
  readonly delisted_at: Date;
}

/** The US tickers as last fetched. */
export interface SymbolStore {
  /** The files that were stored last; locked until the transaction ends. */
  files(): Promise<readonly StoredSymbolFile[]>;

  /**
   * Makes the symbols of these files the listed ones. Other listed symbols are delisted as of `now` and stay known; one
   * that returns is listed since `now`.
   */
  replace(files: readonly SymbolFile[], now: Date): Promise<void>;

  /** When the symbols last changed; null when there are none. */
  changedAt(): Promise<Date | null>;

  all(): Promise<ListedSymbols>;
}
