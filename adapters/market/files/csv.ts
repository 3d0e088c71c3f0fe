import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { type Info, type Options, parse } from 'csv-parse';
import type { Millis } from '../../../domain/time.ts';

/** Rows are handled in slices of this many, so that a file of a million rows never holds up other requests. */
const SLICE = 500;

/** What is wrong with a file, by line (1 is the header). */
export class MalformedFile extends Error {
  override readonly name = 'MalformedFile';
  constructor(line: number, fault: string) {
    super(`line ${line}: ${fault}`);
  }
}

/** One row; each read throws when the cell is not what is asked for. */
export interface Cells {
  readonly line: number;
  text(column: string): string;
  /** RFC 3339 in UTC, ending with `Z`. */
  instant(column: string): Millis;
  number(column: string): number;
  /** null for an empty cell and for a column that the file has not. */
  optionalNumber(column: string): number | null;
}

/**
 * The rows of a plain CSV text (no quoting) whose header names the columns in any order. A byte order mark, CRLF and
 * blank lines are accepted. A last line without its line end is still being written and is left out.
 * @throws MalformedFile naming the first line that is wrong
 */
export async function parseCsv<T>(
  text: string,
  columns: { readonly required: readonly string[]; readonly optional?: readonly string[] },
  read: (cells: Cells) => T,
): Promise<readonly T[]> {
  const rows: T[] = [];
  let places: ReadonlyMap<string, number> | undefined;
  let count = 0;
  for await (const { record, info } of recordsIn(text)) {
    if (places === undefined) places = placesIn(record, columns.required, columns.optional ?? []);
    else if (!isBlank(record)) rows.push(read(cells(places, record, info.lines)));
    count += 1;
    if (count % SLICE === 0) await setImmediate();
  }
  if (places === undefined) placesIn([''], columns.required, columns.optional ?? []);
  return rows;
}

/** Maps item by item, giving way to other work between slices. */
export async function inSlices<T, R>(items: Iterable<T>, each: (item: T, index: number) => readonly R[]): Promise<R[]> {
  const results: R[] = [];
  let index = 0;
  for (const item of items) {
    if (index % SLICE === SLICE - 1) await setImmediate();
    results.push(...each(item, index));
    index += 1;
  }
  return results;
}

interface NumberedRecord {
  readonly record: readonly string[];
  /** The number of the record's line. */
  readonly info: Pick<Info, 'lines'>;
}

function recordsIn(text: string): AsyncIterable<NumberedRecord> {
  const terminated = text.slice(0, text.lastIndexOf('\n') + 1);
  return Readable.from(chunksOf(terminated)).pipe(parse(PLAIN));
}

/** No quoting, and the number of cells is checked with the line's number in the message. */
const PLAIN: Options = {
  bom: true,
  quote: false,
  record_delimiter: ['\r\n', '\n'],
  relax_column_count: true,
  info: true,
};

const CHUNK = 16_384;

function* chunksOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; from += CHUNK) yield text.slice(from, from + CHUNK);
}

function isBlank(record: readonly string[]): boolean {
  return record.length === 1 && record[0]?.trim() === '';
}

function placesIn(
  header: readonly string[],
  required: readonly string[],
  optional: readonly string[],
): ReadonlyMap<string, number> {
  const names = header.map((name) => name.trim());
  checkHeader(names, required, optional);
  return new Map(names.map((name, place) => [name, place]));
}

function checkHeader(names: readonly string[], required: readonly string[], optional: readonly string[]): void {
  const missing = required.find((name) => !names.includes(name));
  if (missing !== undefined) throw new MalformedFile(1, `the column ${missing} is missing`);
  const strange = names.find(
    (name, index) => names.indexOf(name) !== index || ![...required, ...optional].includes(name),
  );
  if (strange !== undefined) throw new MalformedFile(1, `the column ${JSON.stringify(strange)} is unknown or repeated`);
}

function cells(places: ReadonlyMap<string, number>, values: readonly string[], line: number): Cells {
  if (values.length !== places.size) {
    throw new MalformedFile(line, `${values.length} cells instead of ${places.size}`);
  }
  const text = (column: string) => values[places.get(column) ?? -1]?.trim() ?? '';
  const number = (column: string) => numberIn(text(column), column, line);
  return {
    line,
    text,
    number,
    instant: (column) => instantIn(text(column), column, line),
    optionalNumber: (column) => (text(column) === '' ? null : number(column)),
  };
}

function numberIn(text: string, column: string, line: number): number {
  const value = /^-?\d+(\.\d+)?(e[+-]?\d{1,2})?$/i.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) throw new MalformedFile(line, `${column} ${JSON.stringify(text)} is not a number`);
  return value;
}

function instantIn(text: string, column: string, line: number): Millis {
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at) || !namesARealDay(text, at)) {
    throw new MalformedFile(line, `${column} ${JSON.stringify(text)} is not a time such as 2024-06-14T01:30:00Z`);
  }
  return at;
}

/** Date.parse moves 30 February on into March. */
function namesARealDay(text: string, at: Millis): boolean {
  const day = Number(text.slice(8, 10));
  return day <= 28 || new Date(at).getUTCDate() === day;
}
