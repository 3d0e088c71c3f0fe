import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SourceUnavailable } from '../../../domain/market/market-data.ts';
import { normaliseSymbol } from '../../../domain/market/symbol.ts';
import {
  type ListedSymbols,
  nearestSymbols,
  SYMBOL_FILES,
  type SymbolDirectory,
  type SymbolFile,
  type SymbolFileName,
  type SymbolSource,
  type SymbolStore,
} from '../../../domain/market/symbol-directory.ts';
import { type Market, stockVenuesOf, usVenues } from '../../../domain/market/venues.ts';
import type { Millis } from '../../../domain/time.ts';
import { localToInstant } from '../../../domain/zoned-time.ts';
import { fetchText, NetworkFailure } from '../fetch-text.ts';
import { instrumentPath, instrumentsIn } from '../files/bar-folder.ts';
import { MalformedFile } from '../files/csv.ts';

const HEADERS: Readonly<Record<SymbolFileName, string>> = {
  nasdaqlisted: 'Symbol|Security Name|Market Category|Test Issue|Financial Status|Round Lot Size|ETF|NextShares',
  otherlisted: 'ACT Symbol|Security Name|Exchange|CQS Symbol|ETF|Round Lot Size|Test Issue|NASDAQ Symbol',
};

/** The column with the symbol in the spelling nearest to ours. */
const SYMBOL: Readonly<Record<SymbolFileName, string>> = { nasdaqlisted: 'Symbol', otherlisted: 'CQS Symbol' };

const FOOTER = /^File Creation Time: (\d\d)(\d\d)(\d{4})(\d\d:\d\d)\|*$/;

const US_STOCK = { market: 'stock', quote_currency: 'USD', venue: 'NYSE' } as const;

/** A directory that can be brought up to date while it is asked. */
export interface CurrentSymbols extends SymbolDirectory {
  /** Takes over what has changed in the bar store and among the listed symbols; what was known before stays when it fails. */
  reload(): Promise<void>;
}

/**
 * The tickers of the bar store and the listed ones as they were last fetched; those that come with the project until
 * then. Whatever was ever listed is known, as records may be about the past; only what is listed is suggested.
 */
export function currentSymbols(
  barsDir: string,
  store: Pick<SymbolStore, 'changedAt' | 'all'>,
  packaged: PackagedTickers = packagedTickers(),
): CurrentSymbols {
  let fetched: ListedSymbols = { listed: [], delisted: [] };
  let fetchedAt: number | null = null;
  const sets = { listed: new Set(packaged.listed), past: new Set(packaged.past) };
  let current = directoryOf(sets.listed, [sets.past]);
  let left: ReadonlyMap<string, Millis> = new Map();
  return {
    // A ticker whose bars were imported a moment ago: only what is not known otherwise is looked for in the files.
    known: (symbol) => current.known(symbol) || isStored(barsDir, symbol),
    knowsCoin: (symbol) => current.knowsCoin(symbol),
    nearest: (symbol, count) => current.nearest(symbol, count),
    leftAt: (symbol) => left.get(symbol) ?? null,
    beginning: (market, text, count) => current.beginning(market, text, count),
    async reload() {
      const changed = (await store.changedAt())?.getTime() ?? null;
      const stored = await storedSymbols(barsDir);
      if (changed !== fetchedAt) fetched = await store.all();
      fetchedAt = changed;
      left = new Map(fetched.delisted.map(({ symbol, delisted_at }) => [symbol, delisted_at.getTime()]));
      const listed = fetched.listed.length > 0 ? normalisedSet(fetched.listed) : sets.listed;
      const suggested = stored.stock.length > 0 ? new Set([...listed, ...normalisedSet(stored.stock)]) : listed;
      current = directoryOf(suggested, [sets.listed, sets.past, normalisedSet(left.keys())], stored.crypto);
    },
  };
}

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
  return directoryOf(normalisedSet(tickers), [normalisedSet(past)], coins);
}

function directoryOf(
  suggested: ReadonlySet<string>,
  past: readonly ReadonlySet<string>[],
  coins: Iterable<string> = [],
): SymbolDirectory {
  const listed = { stock: suggested, crypto: new Set(coins) };
  return {
    known: (symbol) => suggested.has(symbol) || past.some((set) => set.has(symbol)) || isUnlisted(symbol),
    knowsCoin: (symbol) => listed.crypto.has(symbol) || packagedCoins().has(symbol),
    nearest: (symbol, count) => nearestSymbols(symbol, suggested, count),
    leftAt: () => null,
    beginning(market, text, count) {
      return [...listed[market]]
        .filter((symbol) => symbol.startsWith(text))
        .sort()
        .slice(0, count);
    },
  };
}

/** Only the United States have a list: codes of the other venues need the right form, and a price source verifies them. */
function isUnlisted(symbol: string): boolean {
  const venues = stockVenuesOf(symbol);
  return venues.length > 0 && !usVenues().some((venue) => venues.includes(venue));
}

/** The tickers that come with the project, normalised: US listings of August 2026, and those of the end of 2022 that have left since. */
interface PackagedTickers {
  readonly listed: readonly string[];
  readonly past: readonly string[];
}

let tickers: PackagedTickers | undefined;

/** The origin, date and licence of each list are the first lines of its file. */
export function packagedTickers(): PackagedTickers {
  tickers ??= { listed: tickersIn('us-tickers.txt'), past: tickersIn('us-tickers-past.txt') };
  return tickers;
}

let coins: ReadonlySet<string> | undefined;

/** The coins that come with the project, whose names a pair without a separator may begin with. */
export function packagedCoins(): ReadonlySet<string> {
  coins ??= new Set(tickersIn('coins.txt'));
  return coins;
}

/** Whether the bar store has the US stock; a normalised ticker is one folder name, whatever was sent. */
function isStored(store: string, symbol: string): boolean {
  const stock = { market: 'stock', symbol, asset_class: 'spot', quote_currency: 'USD' } as const;
  return usVenues().some((venue) => existsSync(join(store, instrumentPath({ ...stock, venue }), 'manifest.json')));
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

/**
 * The daily files of US listings, below an address without a closing slash.
 * @param deadline how long each file may take
 */
export function symbolSource(baseUrl: string, deadline: Millis): SymbolSource {
  return { fetch: () => Promise.all(SYMBOL_FILES.map((name) => fetchFile(baseUrl, name, deadline))) };
}

/** The error message leaves out the address it was fetched from. */
async function fetchFile(baseUrl: string, name: SymbolFileName, deadline: Millis): Promise<SymbolFile> {
  try {
    const { status, text } = await fetchText(`${baseUrl}/${name}.txt`, deadline, { accept: 'text/plain' });
    if (status !== 200) throw new SourceUnavailable(`The symbol file ${name} was answered with ${status}.`);
    return parseSymbolFile(name, text);
  } catch (error) {
    if (error instanceof NetworkFailure)
      throw new SourceUnavailable(`The symbol file ${name} did not come: ${error.code}.`);
    if (error instanceof MalformedFile) throw new SourceUnavailable(`The symbol file ${name}, ${error.message}.`);
    throw error;
  }
}

/**
 * The tickers of one of the daily files of US listings: pipes between the cells, one header, and a last line that says
 * when the file was made, which a truncated file lacks. Test issues are left out, and so is
 * what cannot be a ticker here.
 * @throws MalformedFile naming the first line that is not as documented
 */
export function parseSymbolFile(name: SymbolFileName, text: string): SymbolFile {
  const lines = text.split(/\r?\n/);
  while (lines.at(-1) === '') lines.pop();
  const [header = '', ...rows] = lines;
  if (header !== HEADERS[name]) throw new MalformedFile(1, 'the header is another one than documented');
  const created_at = creationTime(rows.pop() ?? '', lines.length);
  const columns = header.split('|');
  const symbols = rows.flatMap((row, index) => tickerIn(row, columns, SYMBOL[name], index + 2));
  if (symbols.length === 0) throw new MalformedFile(2, 'there is no symbol');
  return { name, created_at, symbols: [...new Set(symbols)] };
}

/** Such as `File Creation Time: 0203202518:03|||||||`, by the clocks of New York. */
function creationTime(footer: string, line: number): Date {
  const found = FOOTER.exec(footer);
  const [, month, day, year, time] = found ?? [];
  const local = found ? Date.parse(`${year}-${month}-${day}T${time}:00Z`) : Number.NaN;
  const at = Number.isNaN(local) ? null : localToInstant(local, 'America/New_York');
  if (at === null) throw new MalformedFile(line, 'the last line is no creation time: the file was cut off');
  return new Date(at);
}

function tickerIn(row: string, columns: readonly string[], column: string, line: number): readonly string[] {
  const cells = row.split('|');
  if (cells.length !== columns.length) {
    throw new MalformedFile(line, `${cells.length} cells instead of ${columns.length}`);
  }
  const test = cells[columns.indexOf('Test Issue')];
  if (test !== 'Y' && test !== 'N') throw new MalformedFile(line, 'Test Issue is neither Y nor N');
  const symbol = test === 'Y' ? null : normaliseSymbol(cells[columns.indexOf(column)] ?? '', US_STOCK);
  return symbol === null ? [] : [symbol];
}
