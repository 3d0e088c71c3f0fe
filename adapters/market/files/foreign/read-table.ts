import { parse } from 'csv-parse/sync';
import { columnName, isHeaderName } from './column-names.ts';
import { begins, decode, MOST_BYTES, RefusedFile, refuseOtherForms, unpack } from './file-text.ts';
import { isTimeText } from './read-times.ts';

/** The cells of a file, whatever it was packed in and however its cells are separated. */
export interface CellTable {
  /** In the form of `columnName`; null where the file names no columns. */
  readonly names: readonly string[] | null;
  readonly rows: readonly Row[];
  /** Of a header of two levels, the instrument of each column. */
  readonly instruments: readonly string[] | null;
  /** What JSON says next to its rows, by names in the form of `columnName`, such as `ticker` and `adjusted`. */
  readonly stated?: ReadonlyMap<string, string>;
  /** Of JSON, the table of each of its lists, by the keys of the lists; the first one is this table. */
  readonly lists?: ReadonlyMap<string, CellTable>;
}

export interface Row {
  /** The number of its line, or of its place in a list. */
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * The table in a file: CSV with any of the usual separators, quoted or not, JSON, Parquet or Feather; alone or in gzip, zstd or
 * zip.
 * @param member the file of a zip to read; else the only one that can be a table
 * @throws RefusedFile
 */
export async function readTable(bytes: Uint8Array, member?: string): Promise<CellTable> {
  const unpacked = unpack(bytes, member);
  const columnar = COLUMNAR.find(({ magic }) => begins(unpacked, magic));
  if (columnar) return columnarTable(unpacked, columnar);
  refuseOtherForms(unpacked);
  const text = decode(unpacked);
  if (text.trim() === '') throw new RefusedFile('The file is empty.');
  return /^\s*[[{]/.test(text) ? jsonTable(text) : csvTable(text);
}

type ColumnarFiles = typeof import('./columnar-files.ts');

interface ColumnarForm {
  readonly magic: string;
  readonly name: string;
  readonly rows: (files: ColumnarFiles, bytes: Uint8Array) => PromiseOr<ReturnType<ColumnarFiles['arrowRows']>>;
  readonly send: string;
}

type PromiseOr<T> = T | Promise<T>;

const COLUMNAR: readonly ColumnarForm[] = [
  {
    magic: 'PAR1',
    name: 'Parquet',
    rows: ({ parquetRows }, bytes) => parquetRows(bytes, MOST_BYTES),
    send: 'Write it with Snappy, gzip or zstd, or without compression',
  },
  {
    magic: 'ARROW1',
    name: 'Feather (Arrow)',
    rows: ({ arrowRows }, bytes) => arrowRows(bytes, MOST_BYTES),
    send: 'Write it with lz4 or zstd, or without compression',
  },
];

/** Their readers are loaded with the first such file. */
async function columnarTable(bytes: Uint8Array, { name, rows, send }: ColumnarForm): Promise<CellTable> {
  try {
    return objectTable(await rows(await import('./columnar-files.ts'), bytes));
  } catch (error) {
    throw new RefusedFile(`This ${name} file cannot be read: ${(error as Error).message}. ${send}, or send CSV.`);
  }
}

function jsonTable(text: string): CellTable {
  const sent = parsedJson(text);
  const own = listsIn(sent);
  const inner = own.length > 0 ? undefined : innerOf(sent);
  const lists = new Map([...own, ...listsIn(inner)].map(([key, rows]) => [key, listTable(rows)] as const));
  const [first] = lists.values();
  if (!first) throw new RefusedFile(`This JSON has no list of bars; it begins with ${text.trim().slice(0, 80)}`);
  return { ...first, stated: new Map([...statedIn(inner), ...statedIn(sent)]), lists };
}

/** JSON, or one object or list a line. @throws RefusedFile */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    try {
      if (lines.length > 1) return lines.map((line) => JSON.parse(line) as unknown);
    } catch {
      // What follows is true of both.
    }
    throw new RefusedFile('The file begins as JSON and is none: it may be cut off. Send it whole, or send CSV.');
  }
}

/** The object in which replies of some interfaces have their lists, such as `bars` of Alpaca and `result` of Kraken. */
function innerOf(sent: unknown): unknown {
  return membersOf(sent).find(([key, value]) => /^(bars|results?|data)$/i.test(key) && !Array.isArray(value))?.[1];
}

/** The texts and numbers next to the rows, also in an object such as `meta`; an empty text states nothing. */
function statedIn(sent: unknown): ReadonlyMap<string, string> {
  if (Array.isArray(sent)) return new Map();
  const about = membersOf(sent).flatMap(([key, value]) =>
    /^meta/i.test(key) ? membersOf(value) : ([[key, value]] as const),
  );
  const plain = about.filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value) && value !== '');
  return new Map(plain.map(([key, value]) => [columnName(key), String(value)]));
}

function membersOf(sent: unknown): readonly (readonly [string, unknown])[] {
  return Object.entries(Object(sent) as Readonly<Record<string, unknown>>);
}

/** A list of rows, or those in an object; of objects by time, their entries with their keys as time. */
function listsIn(sent: unknown): readonly (readonly [string, readonly unknown[]])[] {
  if (Array.isArray(sent)) return [['', sent]];
  const inColumns = rowsOfColumns(sent);
  if (inColumns) return [['', inColumns]];
  const members = membersOf(sent);
  const lists = members.flatMap(([key, value]) =>
    Array.isArray(value) && value.length > 0 ? [[key, value] as const] : [],
  );
  if (lists.length > 0) return lists;
  return members.flatMap(([key, value]) => {
    const entries = membersOf(value);
    if (!isTimeText(entries[0]?.[0] ?? '')) return [];
    return [[key, entries.map(([time, row]) => ({ datetime: time, ...Object(row) }))] as const];
  });
}

/**
 * The rows of an object that has a list or an object of values for each column (DataFrame.to_json(), Finnhub), a list of the
 * names of its columns (orient='split'), or an object for each time (orient='index'); null where it is none of these.
 */
function rowsOfColumns(sent: unknown): readonly unknown[] | null {
  const members = membersOf(sent);
  const { columns, index, data } = Object(sent) as Readonly<Record<string, unknown>>;
  if ([columns, index, data].every(Array.isArray))
    return (data as readonly unknown[]).map((row, i) => ({
      datetime: (index as readonly unknown[])[i],
      ...Object.fromEntries((columns as readonly unknown[]).map((name, place) => [name, Object(row)[place]])),
    }));
  if (members.length > 0 && members.every(([key, row]) => isTimeText(key) && membersOf(row).length >= HEADER_CELLS))
    return members.map(([datetime, row]) => ({ datetime, ...Object(row) }));
  const named = members.filter(([key, values]) => isHeaderName(columnName(key)) && areValues(values));
  if (named.length < HEADER_CELLS) return null;
  const places = Object.keys(Object(named[0]?.[1]));
  const isKeyed = !Array.isArray(named[0]?.[1]);
  return places.map((place) => ({
    ...(isKeyed ? { datetime: place } : {}),
    ...Object.fromEntries(named.map(([key, values]) => [key, Object(values)[place]])),
  }));
}

/** Whether a list or an object has plain values alone. */
function areValues(values: unknown): boolean {
  const known = typeof values === 'object' && values !== null ? Object.values(values) : [];
  return known.length > 0 && known.every((value) => typeof value !== 'object' || value === null);
}

function listTable(list: readonly unknown[]): CellTable {
  if (!list.every((row) => Array.isArray(row)))
    return objectTable(list.map((row) => Object(row) as Readonly<Record<string, unknown>>));
  const rows = list.map((row, index) => ({ line: index + 1, cells: row.map(cellText) }));
  return { names: null, rows, instruments: null };
}

function objectTable(rows: readonly Readonly<Record<string, unknown>>[]): CellTable {
  const names = [...new Set(rows.slice(0, 100).flatMap((row) => Object.keys(row)))];
  const cells = (row: Readonly<Record<string, unknown>>) => names.map((name) => cellText(row[name]));
  return {
    names: names.map(columnName),
    rows: rows.map((row, index) => ({ line: index + 1, cells: cells(row) })),
    instruments: null,
  };
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return value instanceof Date ? value.toISOString() : String(value);
}

const SEPARATORS = ['\t', ';', ',', '|'];

function csvTable(text: string): CellTable {
  const head = text
    .slice(0, 65_536)
    .split(/\r\n|\n|\r/)
    .filter((line) => line.trim() !== '')
    .slice(0, 30);
  const usual = (separator: string) => {
    const counts = head.map((line) => line.replace(/"[^"]*"/g, '').split(separator).length - 1).sort((a, b) => a - b);
    return counts[Math.floor(counts.length / 2)] ?? 0;
  };
  // Numbers may hold more commas than there are semicolons between them; a header holds none.
  const named = SEPARATORS.find((separator) =>
    head.slice(0, TITLE_LINES).some((line) => isHeader({ line: 0, cells: line.replaceAll('"', '').split(separator) })),
  );
  const [delimiter] = named === undefined ? SEPARATORS.toSorted((a, b) => usual(b) - usual(a)) : [named];
  if (delimiter === undefined || usual(delimiter) < 2) {
    throw new RefusedFile(`The file has no columns; it begins with ${JSON.stringify(head[0]?.slice(0, 100) ?? '')}.`);
  }
  const records = parse(text, {
    delimiter,
    bom: true,
    relax_quotes: true,
    relax_column_count: true,
    info: true,
    skip_empty_lines: true,
  }) as unknown as readonly {
    readonly record: readonly string[];
    readonly info: { readonly lines: number };
  }[];
  const rows = records.map(({ record, info }) => ({ line: info.lines, cells: record.map((cell) => cell.trim()) }));
  return headed(rows);
}

/** A header is found among so many lines. */
const TITLE_LINES = 20;

/** A header may have lines before it, and two levels; a first row with a time and prices is no header. */
function headed(rows: readonly Row[]): CellTable {
  const at = rows.slice(0, TITLE_LINES).findIndex((row, index) => isHeader(row) && !isTickers(row, rows[index + 1]));
  if (at < 0) return { names: null, rows, instruments: null };
  const names = rows[at]?.cells.map(columnName) ?? [];
  const stated = statedAbove(rows.slice(0, at));
  const hasTickers = columnName(rows[at + 1]?.cells[0] ?? '') === 'ticker' && names[0] === 'price';
  refuseOtherHeader(names, rows.slice(at + (hasTickers ? 2 : 1)));
  const [second, third] = [rows[at + 1]?.cells ?? [], rows[at + 2]?.cells ?? []];
  const isFirst = ['', 'price'].includes(names[0] ?? '');
  const isAbove = isFirst && areInstruments(rows[at - 1]?.cells ?? [], names);
  if (!isAbove && !(isFirst && ['', 'ticker'].includes(columnName(second[0] ?? 'x'))))
    return { names, rows: rows.slice(at + 1), instruments: null, stated };
  const [instruments, next] = isAbove ? [rows[at - 1]?.cells ?? [], second] : [second, third];
  const hasIndexName = next.slice(1).every((cell) => cell === '');
  return {
    names: ['datetime', ...names.slice(1)],
    rows: rows.slice(at + (isAbove ? 1 : 2) + (hasIndexName ? 1 : 0)),
    instruments: ['', ...instruments.slice(1)],
  };
}

/** Whether a line above the header has the instrument of each column, as yfinance writes it with group_by='ticker'. */
function areInstruments([_, ...instruments]: readonly string[], names: readonly string[]): boolean {
  const values = new Set(instruments);
  return instruments.length === names.length - 1 && !values.has('') && values.size * 4 <= instruments.length;
}

/** Whether a line is one of tickers above the header, of which some are names of columns, such as V, C and H. */
function isTickers(row: Row, next: Row | undefined): boolean {
  const isFirst = ['', 'ticker'].includes(columnName(row.cells[0] ?? ''));
  return isFirst && next !== undefined && isHeader(next) && areInstruments(row.cells, next.cells);
}

/**
 * What a title says above the header: `Symbol: MSFT`, `Apple Inc (AAPL.O)`, or a code, a name and how prices are adjusted, as
 * of Tongdaxin. A word in brackets without the suffix of an exchange may be anything: (NASDAQ), (ADR), (DAILY), (1Y).
 */
function statedAbove(rows: readonly Row[]): ReadonlyMap<string, string> {
  const stated = new Map<string, string>();
  for (const { cells } of rows) {
    const text = cells.join(' ').trim();
    const [, named] = /^(?:symbol|ticker|instrument|pair)\s*[:=]?\s*([A-Za-z0-9][\w.:/-]*)$/i.exec(text) ?? [];
    const [, code] = /^(\d{6}) \D/.exec(text) ?? [];
    const bracketed = /\S \((?!U\.[SK]\))([A-Z0-9]{1,6}[.:][A-Z]{1,4})\)/.exec(text)?.[1];
    const symbol = named ?? code ?? bracketed;
    if (symbol !== undefined) stated.set('symbol', symbol);
    if (/(?<!un|non-|not )adjusted/i.test(text) && !/adjusted\s*[:=]?\s*(no|none|false|0)\b/i.test(text))
      stated.set('adjust', ['split', 'dividend'].find((word) => text.toLowerCase().includes(word)) ?? 'adjusted');
    if (/[前后]复权/.test(text)) stated.set('adjust', text.includes('前复权') ? 'qfq' : 'hfq');
  }
  return stated;
}

/** So many names that are known make a header. */
const HEADER_CELLS = 3;

function isHeader({ cells }: Row): boolean {
  return new Set(cells.map(columnName).filter(isHeaderName)).size >= HEADER_CELLS;
}

/** A header that is repeated is no row; another one begins a table of other columns. */
function refuseOtherHeader(names: readonly string[], rows: readonly Row[]): void {
  const other = rows.find((row) => isHeader(row) && row.cells.map(columnName).join() !== names.join());
  if (other)
    throw new RefusedFile(
      `line ${other.line}: a second header has other columns (${other.cells.join(', ').slice(0, 100)}). Send each table in a file of its own.`,
    );
}
