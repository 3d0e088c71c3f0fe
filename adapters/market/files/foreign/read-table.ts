import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { unzipSync } from 'fflate';
import { isTimeText } from './read-times.ts';

/** A file of somebody else's that is not read; the message says why, and what to send instead. */
export class RefusedFile extends Error {
  override readonly name = 'RefusedFile';
}

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

/** Decompressed bytes that are read at most. */
const MOST_BYTES = 1 << 29;

/** Packings around each other that are opened: a file that contains itself would never end. */
const MOST_LAYERS = 3;

/**
 * The table in a file: CSV with any of the usual separators, quoted or not, in UTF-8, UTF-16 or GB 18030, JSON, Parquet or
 * Feather; alone or in gzip or zip.
 * @param member the file of a zip to read; else the only one that can be a table
 * @throws RefusedFile
 */
export async function readTable(bytes: Uint8Array, member?: string): Promise<CellTable> {
  const unpacked = unpack(bytes, member);
  const columnar = COLUMNAR.find(({ magic }) => begins(unpacked, magic));
  if (columnar) return columnarTable(unpacked, columnar);
  const foreign = FORMS_NOT_READ.find(({ is }) => is(unpacked));
  if (foreign) throw new RefusedFile(`${foreign.what}. ${foreign.send}`);
  const text = decode(unpacked);
  if (text.trim() === '') throw new RefusedFile('The file is empty.');
  return /^\s*[[{]/.test(text) ? jsonTable(text) : csvTable(text);
}

/** What columns are called here: `<DATE>` is date, `Adj Close**` adj_close, `1. open` open, `Vol.` vol. */
export function columnName(sent: string): string {
  return sent
    .trim()
    .toLowerCase()
    .replace(/^\d+\.\s+/, '')
    .replace(/[<>()"]/g, '')
    .replace(/[ .*/-]+/g, '_')
    .replace(/^_+|_+$/g, '');
}

function unpack(bytes: Uint8Array, member: string | undefined, layers = 0): Uint8Array {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (!isGzip && !begins(bytes, 'PK\u0003\u0004')) return bytes;
  if (layers === MOST_LAYERS) throw new RefusedFile('The file is packed more than three times. Unpack it first.');
  try {
    return unpack(
      isGzip ? gunzipSync(bytes, { maxOutputLength: MOST_BYTES }) : memberOf(bytes, member),
      undefined,
      layers + 1,
    );
  } catch (error) {
    if (error instanceof RefusedFile) throw error;
    const why = (error as Error).message;
    throw new RefusedFile(
      `The file cannot be unpacked (${why}): it is cut off, or larger than ${MOST_BYTES} bytes. Send it whole, or in parts.`,
    );
  }
}

function memberOf(zip: Uint8Array, member: string | undefined): Uint8Array {
  const names: string[] = [];
  unzipSync(zip, { filter: ({ name }) => names.push(name) < 0 });
  if (names.includes('[Content_Types].xml'))
    throw new RefusedFile('This is a workbook of a spreadsheet. Save the sheet as CSV and send that.');
  const isTable = (name: string) => /\.(csv|txt|tsv|json|gz|parquet|feather|arrow)$/i.test(name);
  const [only, ...others] = names.filter((name) => (member === undefined ? isTable(name) : name === member));
  if (only === undefined || others.length > 0) {
    const list = `${names.slice(0, 10).join(', ')}${names.length > 10 ? ' ...' : ''}`;
    throw new RefusedFile(`This is a zip of ${names.length} files: ${list}. Name one with --member.`);
  }
  const files = unzipSync(zip, { filter: ({ name, originalSize }) => name === only && originalSize <= MOST_BYTES });
  const found = files[only];
  if (!found) throw new RefusedFile(`${only} in the zip has more than ${MOST_BYTES} bytes. Send a part of it.`);
  return found;
}

function begins(bytes: Uint8Array, text: string): boolean {
  return Array.from(text).every((letter, index) => bytes[index] === letter.charCodeAt(0));
}

const FORMS_NOT_READ: readonly {
  readonly is: (bytes: Uint8Array) => boolean;
  readonly what: string;
  readonly send: string;
}[] = [
  {
    is: (bytes) => begins(bytes, 'FEA1'),
    what: 'This is a Feather file of version 1',
    send: 'Write it anew as version 2, as DataFrame.to_feather() of today does, or send CSV or Parquet.',
  },
  {
    is: (bytes) => begins(bytes, '\u00ff\u00ff\u00ff\u00ff'),
    what: 'This is a stream of Arrow',
    send: 'Send a file: DataFrame.to_feather() or pyarrow.feather.write_feather() make one.',
  },
  {
    is: (bytes) => bytes[0] === 0x80 && (bytes[1] ?? 0) >= 2 && (bytes[1] ?? 0) <= 5,
    what: 'This is a pickle, which can run programs when it is opened',
    send: 'Send CSV: DataFrame.to_csv() makes it.',
  },
  {
    is: (bytes) => begins(bytes, '\u0089HDF'),
    what: 'This is an HDF5 file',
    send: 'Send CSV, JSON or Parquet.',
  },
];

function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Tables of Chinese spreadsheets.
    return new TextDecoder('gb18030').decode(bytes);
  }
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
  let sent: unknown;
  try {
    sent = JSON.parse(text);
  } catch {
    throw new RefusedFile('The file begins as JSON and is none: it may be cut off. Send it whole, or send CSV.');
  }
  const own = listsIn(sent);
  const inner = own.length > 0 ? undefined : innerOf(sent);
  const lists = new Map([...own, ...listsIn(inner)].map(([key, rows]) => [key, listTable(rows)] as const));
  const [first] = lists.values();
  if (!first) throw new RefusedFile(`This JSON has no list of bars; it begins with ${text.trim().slice(0, 80)}`);
  return { ...first, stated: new Map([...statedIn(inner), ...statedIn(sent)]), lists };
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
    head.slice(0, 6).some((line) => isHeader({ line: 0, cells: line.replaceAll('"', '').split(separator) })),
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

/** A header may have lines before it, and two levels; a first row with a time and prices is no header. */
function headed(rows: readonly Row[]): CellTable {
  const at = rows.slice(0, 6).findIndex(isHeader);
  if (at < 0) return { names: null, rows, instruments: null };
  const names = rows[at]?.cells.map(columnName) ?? [];
  refuseOtherHeader(names, rows.slice(at + 1));
  const [second, third] = [rows[at + 1]?.cells ?? [], rows[at + 2]?.cells ?? []];
  const isTwoLevels = ['', 'price'].includes(names[0] ?? '') && ['', 'ticker'].includes(columnName(second[0] ?? 'x'));
  if (!isTwoLevels) return { names, rows: rows.slice(at + 1), instruments: null };
  const hasIndexName = third.slice(1).every((cell) => cell === '');
  return {
    names: ['datetime', ...names.slice(1)],
    rows: rows.slice(at + (hasIndexName ? 3 : 2)),
    instruments: ['', ...second.slice(1)],
  };
}

function isHeader({ cells }: Row): boolean {
  return cells.filter((cell) => KNOWN_NAMES.has(columnName(cell))).length >= 3;
}

/** A header that is repeated is no row; another one begins a table of other columns. */
function refuseOtherHeader(names: readonly string[], rows: readonly Row[]): void {
  const other = rows.find((row) => isHeader(row) && row.cells.map(columnName).join() !== names.join());
  if (other)
    throw new RefusedFile(
      `line ${other.line}: a second header has other columns (${other.cells.join(', ').slice(0, 100)}). Send each table in a file of its own.`,
    );
}

/** Names that tell a header from a row. */
const KNOWN_NAMES: ReadonlySet<string> = new Set([
  ...[
    'date',
    'time',
    'datetime',
    'timestamp',
    'day',
    'unix',
    'open_time',
    'gmt_time',
    'time_utc',
    'local_time',
    'window_start',
  ],
  ...[
    'open',
    'high',
    'low',
    'close',
    'volume',
    'vol',
    'price',
    'close_last',
    'latest',
    'last',
    'trade_time',
    'trade_date',
  ],
  ...['t', 'o', 'h', 'l', 'c', 'v'],
  ...['日期', '时间', '开盘', '收盘', '最高', '最低', '成交量', 'agg_trade_id', 'quantity', 'start'],
]);
