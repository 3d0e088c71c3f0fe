import { setImmediate } from 'node:timers/promises';
import type { Millis } from '../../domain/time.ts';

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
  const lines = terminatedLines(text.startsWith('\uFEFF') ? text.slice(1) : text);
  const names = (lines.next().value ?? '').split(',').map((name) => name.trim());
  checkHeader(names, columns.required, columns.optional ?? []);
  const places = new Map(names.map((name, place) => [name, place]));
  return inSlices(lines, (content, index) => (content.trim() === '' ? [] : [read(cells(places, content, index + 2))]));
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

function* terminatedLines(text: string): Generator<string, undefined> {
  let from = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
    yield text.slice(from, text[end - 1] === '\r' ? end - 1 : end);
    from = end + 1;
  }
  return undefined;
}

function checkHeader(names: readonly string[], required: readonly string[], optional: readonly string[]): void {
  const missing = required.find((name) => !names.includes(name));
  if (missing !== undefined) throw new MalformedFile(1, `the column ${missing} is missing`);
  const strange = names.find(
    (name, index) => names.indexOf(name) !== index || ![...required, ...optional].includes(name),
  );
  if (strange !== undefined) throw new MalformedFile(1, `the column ${JSON.stringify(strange)} is unknown or repeated`);
}

function cells(places: ReadonlyMap<string, number>, content: string, line: number): Cells {
  const values = content.split(',');
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
