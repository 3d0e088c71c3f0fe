import { MATRIX } from './matrix.ts';

export const COLUMNS = [
  '-',
  'bad',
  'rw',
  'ro',
  'ub',
  'B',
  'S',
  'S!',
  "rw'",
  "B'",
  "S'",
  'AK',
  'AB',
  'AS',
  'AS!',
] as const;
export type Column = (typeof COLUMNS)[number];

/** The columns whose callers are the owner of the data in the row. */
export const OWN: readonly Column[] = ['rw', 'ro', 'ub', 'B', 'S', 'S!'];

/** The status and error.code of each abbreviation for a refusal. */
export const REFUSALS = {
  '401': [401, 'UNAUTHORIZED'],
  '403': [403, 'FORBIDDEN'],
  adm: [403, 'ADMIN_REQUIRED'],
  unb: [403, 'KEY_UNBOUND'],
  csrf: [403, 'CROSS_ORIGIN_SESSION'],
  npw: [403, 'PASSWORDLESS_ACCOUNT'],
  own: [403, 'NOT_OWNER'],
  inv: [401, 'INVALID_CREDENTIALS'],
  '404': [404, 'NOT_FOUND'],
  '422': [422, 'VALIDATION_ERROR'],
} as const;
export type Refusal = keyof typeof REFUSALS;
export type Cell = '+' | 'o' | Refusal;

export interface Row {
  /** Such as `GET /owner/agents`, without /api/v1. */
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  /** The owner's data that the request names. */
  readonly of: string;
  /** The status of success; null where every caller is refused. */
  readonly ok: number | null;
  readonly cells: Readonly<Record<Column, Cell>>;
}

/**
 * The rows of a table in the form of matrix.ts.
 * @throws Error for a line that is not in that form
 */
export function readRows(table: string): readonly Row[] {
  const [head = '', ...lines] = table.split('\n').filter((line) => line.trim() !== '');
  if (words(head).join() !== [...COLUMNS, 'of', 'ok', 'operation'].join()) throw new Error(`No head: ${head}`);
  return lines.map(readRow);
}

export const ROWS = readRows(MATRIX);

function readRow(line: string): Row {
  const parts = words(line);
  const [of = '', status = '', method = '', path = '', ...rest] = parts.slice(COLUMNS.length);
  const letters = parts.slice(0, COLUMNS.length);
  const ok = status === '-' ? null : Number(status);
  const isSound = letters.every(isCell) && path.startsWith('/') && rest.length === 0 && !Number.isNaN(ok);
  if (!isSound || (ok === null) !== letters.every((letter) => letter in REFUSALS)) throw new Error(`No row: ${line}`);
  const cells = Object.fromEntries(COLUMNS.map((column, index) => [column, letters[index]]));
  return { operation: `${method} ${path}`, method, path, of, ok, cells: cells as Row['cells'] };
}

function isCell(letter: string): boolean {
  return letter === '+' || letter === 'o' || letter in REFUSALS;
}

function words(line: string): readonly string[] {
  return line.trim().split(/\s+/);
}
