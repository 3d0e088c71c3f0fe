import { MINUTE, type Millis, SECOND } from '../../../domain/time.ts';
import { type Content, type Found, ImportError, type Table, type TableRow } from './found.ts';

const SEPARATORS = [',', '\t', ';', '|'];

/**
 * The table of CSV with a header (RFC 4180; the separator is that of the header), with the line of each row. Null for a text
 * whose first line has no separator.
 * @throws ImportError for a quote that is not closed, rows with more cells than the header, and a last one that is cut off
 */
export function tableOf(text: string): Table | null {
  const head = /^[^\r\n]*/.exec(text)?.[0] ?? '';
  const unquoted = head.replace(/"[^"]*"/g, '');
  const [separator = ','] = SEPARATORS.toSorted((a, b) => unquoted.split(b).length - unquoted.split(a).length);
  if (!unquoted.includes(separator)) return null;
  const [first, ...rows] = rowsOf(text, separator);
  if (!first) return null;
  const header = first.cells.map((name) => name.trim());
  const long = rows.find(({ cells }) => cells.length > header.length && cells.slice(header.length).some(Boolean));
  if (long) {
    throw new ImportError(
      `Line ${long.line} has ${long.cells.length} cells and the header ${header.length}: quote cells that contain ${separator}`,
    );
  }
  const last = rows.at(-1);
  if (last && last.cells.length < header.length && !/[\r\n]$/.test(text)) {
    throw new ImportError(
      `Line ${last.line} is the last one, has ${last.cells.length} of ${header.length} cells, and no end: the file may be cut off. Get it again.`,
    );
  }
  return { header, rows };
}

/** Quotes are read where a cell begins with one, and doubled inside; blank lines are none. */
function rowsOf(text: string, separator: string): TableRow[] {
  const rows: TableRow[] = [];
  const special = new RegExp(`[${separator === '|' ? '\\|' : separator}\\r\\n]`, 'g');
  let [at, line, begun] = [0, 1, 1];
  let cells: string[] = [];
  while (at <= text.length) {
    let cell = '';
    if (text[at] === '"') {
      const end = endOfQuotes(text, at);
      if (end < 0) throw new ImportError(`Line ${line} has a quote that is not closed. The file may be cut off.`);
      cell = text.slice(at + 1, end).replaceAll('""', '"');
      line += cell.split('\n').length - 1;
      at = end + 1;
    }
    special.lastIndex = at;
    const found = special.exec(text);
    const next = found?.index ?? text.length;
    cells.push((cell + text.slice(at, next)).trim());
    at = next + 1;
    if (found !== null && found[0] === separator) continue;
    if (found?.[0] === '\r' && text[at] === '\n') at += 1;
    if (cells.length > 1 || cells[0] !== '') rows.push({ line: begun, cells });
    cells = [];
    line += 1;
    begun = line;
  }
  return rows;
}

function endOfQuotes(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at;
  }
  return -1;
}

/** Reads a row by the names of its columns. @throws ImportError for a column that the table lacks */
export function columnsOf(table: Table): Cell {
  const places = new Map(table.header.map((name, index) => [name, index] as const).toReversed());
  return ({ cells }, name) => {
    const place = places.get(name);
    if (place === undefined)
      throw new ImportError(`The file has no column ${name}: it has ${table.header.join(', ')}.`);
    return cells[place] ?? '';
  };
}

export function hasColumns(table: Table | null, ...names: readonly string[]): boolean {
  return table !== null && names.every((name) => table.header.includes(name));
}

export type Cell = (row: TableRow, name: string) => string;
type ReadRow = (row: TableRow, cell: Cell) => Found;

/** The table that `is` has found. */
export function tableIn({ table }: Content): Table {
  if (!table) throw new ImportError('The file is no CSV with a header.');
  return table;
}

export function foundIn(table: Table, read: ReadRow): readonly Found[] {
  const cell = columnsOf(table);
  return table.rows.map((row) => read(row, cell));
}

export function refused(row: TableRow, why: string): Found {
  return { kind: 'refused', place: `line ${row.line}`, why };
}

export function leftOut(row: TableRow, why: string): Found {
  return { kind: 'left_out', place: `line ${row.line}`, why };
}

/** An instant, a local time without a zone (as if it were UTC), or a date. */
export type ReadTime =
  | { readonly kind: 'instant'; readonly at: Millis }
  | { readonly kind: 'local'; readonly at: Millis }
  | { readonly kind: 'date'; readonly at: Millis };

const TEXT =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?\s*(Z|UTC|GMT|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?$/i;

/** A Unix time of 2001 to 2286 in seconds, ms, us or ns. */
const UNIX = /^(\d{10})((?:\d{3}){0,3})(?:\.(\d+))?$/;

/** Null for what is no time of the years 1970 to 2100 in the order year, month, day. */
export function readTime(text: string): ReadTime | null {
  const [, seconds, digits = '', further = ''] = UNIX.exec(text) ?? [];
  if (seconds !== undefined) return within('instant', Number(seconds) * SECOND + millisIn(digits + further));
  const [, date = '', hour, minute = '', second = '00', fraction = '', zone] = TEXT.exec(text.trim()) ?? [];
  const day = Date.parse(`${date}T00:00:00Z`);
  // Date.parse moves 30 February on into March.
  if (Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== date) return null;
  if (hour === undefined) return zone === undefined ? within('date', day) : null;
  const local = Date.parse(`${date}T${hour}:${minute}:${second}Z`) + millisIn(fraction);
  if (zone === undefined) return within('local', local);
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  return within('instant', local - (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE);
}

/** Of the digits of a fraction of a second: as text, since a double has no nanoseconds of this century. */
function millisIn(fraction: string): Millis {
  return Number(fraction.slice(0, 3).padEnd(3, '0'));
}

/** Behind every time that is read. */
export const LAST_TIME: Millis = Date.UTC(2101, 0, 1);

function within(kind: ReadTime['kind'], at: Millis): ReadTime | null {
  return at >= 0 && at < LAST_TIME ? { kind, at } : null;
}
