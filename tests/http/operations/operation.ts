import type { Auth } from '../../../adapters/http/kit/endpoint.ts';
import type { Cast } from '../authorisation/cast.ts';
import type { Parts } from '../authorisation/requests.ts';

/** The classes of callers, each class several callers (authorisation/callers.ts). */
export const COLUMNS = [
  ...['-', 'bad', 'rw', 'ro', 'ub', 'B', 'S', 'S!'],
  ...["rw'", "B'", "S'", 'AK', 'AB', 'AS', 'AS!'],
] as const;
export type Column = (typeof COLUMNS)[number];

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
export type Cells = Readonly<Record<Column, Cell>>;

/**
 * What happens to each class of callers, by a name for the operations, written by hand from interface.md sections 4 and 5
 * and settled.md sections 5, 8, 9 and 11, never from the code.
 *
 *   -     no credential                           rw' B' S'  another owner's rw, B and S
 *   bad   one that proves nobody, whatever good   AK AB AS   an admin's rw, B and S: an admin is another owner, too
 *         ones come behind it                     AS!        an admin's S!
 *   rw    the owner's read_write key
 *   ro    the owner's read_only key
 *   ub    the owner's key that is bound to no agent
 *   B     the owner's bearer
 *   S     the owner's session, sent by a page of the service
 *   S!    the owner's session, sent by no page or by another's
 *
 *   +     served, in the form that is the owner's alone
 *   o     served, as everyone else is: nothing in the reply is of the owner's, and nothing of the owner's changes
 *   401   401 UNAUTHORIZED           csrf  403 CROSS_ORIGIN_SESSION
 *   403   403 FORBIDDEN              npw   403 PASSWORDLESS_ACCOUNT
 *   adm   403 ADMIN_REQUIRED         404   404 NOT_FOUND, in the words for what never was
 *   unb   403 KEY_UNBOUND            422   422 VALIDATION_ERROR
 *   own   403 NOT_OWNER              inv   401 INVALID_CREDENTIALS
 *
 * What is refused changes nothing, and is served to whom it may be in the same words.
 */
const WHO = readCells(`
-    bad  rw   ro   ub   B    S    S!   rw'  B'   S'   AK   AB   AS   AS!   who

adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  o    o    o     an admin reads
adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  o    o    csrf  an admin changes
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o     everyone
404  404  404  404  404  404  404  404  404  404  404  404  404  404  404   nobody
401  401  +    403  unb  403  403  403  o    403  403  o    403  403  403   a writing key
401  401  +    403  unb  403  403  403  422  403  403  422  403  403  403   the owner's writing key
401  401  +    403  unb  403  403  403  404  403  403  404  403  403  403   the agent's writing key
401  401  +    +    unb  403  403  403  o    403  403  o    403  403  403   a bound key
401  401  +    403  unb  +    +    csrf 404  404  404  404  404  404  csrf  the owner or a writing key of the agent
401  401  +    +    unb  +    +    +    404  404  404  404  404  404  404   the owner or a key of the agent
401  401  +    +    +    +    +    csrf o    o    o    o    o    o    csrf  any credential, by POST
401  401  +    +    unb  422  422  422  o    422  422  o    422  422  422   a bound key, no agent
401  401  +    +    unb  +    +    +    404  404  404  404  404  404  404   the account of the agent
401  401  +    +    +    +    +    +    404  404  404  404  404  404  404   the owner
401  401  +    +    +    +    +    +    o    o    o    o    o    o    o     any credential, own view
401  401  o    o    o    o    o    o    o    o    o    o    o    o    o     any credential
401  401  403  403  403  +    +    +    403  o    o    403  o    o    o     an account reads
401  401  403  403  403  +    +    csrf 403  o    o    403  o    o    csrf  an account changes
401  401  403  403  403  +    +    +    403  404  404  403  404  404  404   the account reads
401  401  403  403  403  +    +    csrf 403  404  404  403  404  404  csrf  the account changes
401  401  403  403  403  404  404  404  403  404  404  403  404  404  404   no account reads
401  401  403  403  403  unb  unb  csrf 403  404  404  403  404  404  csrf  no account, unbound
401  401  403  403  403  403  +    csrf 403  403  o    403  403  o    csrf  a session
401  401  403  403  403  403  +    csrf 403  403  404  403  403  404  csrf  the session
401  401  403  403  403  403  +    csrf 403  403  inv  403  403  inv  csrf  the session, proven
401  401  403  403  403  403  npw  csrf 403  403  npw  403  403  npw  csrf  no session, no password
401  401  403  403  403  npw  +    csrf 403  npw  o    403  npw  o    csrf  a password account
401  401  403  403  403  npw  npw  csrf 403  npw  npw  403  npw  npw  csrf  no account, no password
401  401  403  403  403  +    +    +    403  own  own  403  own  own  own   the designer reads
401  401  403  403  403  +    +    csrf 403  own  own  403  own  own  csrf  the designer changes
o    401  o    o    o    o    o    o    o    o    o    o    o    o    o     everyone, identified
404  401  +    +    +    +    +    +    404  404  404  404  404  404  404   the owner, identified
`);

/** An operation of the service: who may call it, and a request that succeeds. */
export interface Operation {
  /** Such as `GET /owner/agents`, without /api/v1. */
  readonly name: string;
  /** Whether interface.md lacks it. */
  readonly isAddition: boolean;
  /** The status of success. */
  readonly ok: number;
  /** By the kind of thing of the owner's that the request names; `.` for none. */
  readonly who: ReadonlyMap<string, Cells>;
  /** What the request has beyond method and path. */
  readonly request: (cast: Cast, of: string) => Parts | Promise<Parts>;
}

type Terms = readonly [
  name: string,
  ok: number,
  who: string | Readonly<Record<string, string>>,
  request?: Operation['request'],
];

/** An operation of interface.md. @throws Error for a name that WHO lacks, and where nobody is served */
export function operation(...[name, ok, who, request = () => ({})]: Terms): Operation {
  const kinds = Object.entries(typeof who === 'string' ? { '.': who } : who);
  const cells = new Map(kinds.map(([of, named]) => [of, cellsOf(named)]));
  if (![...cells.values()].some(isServed)) throw new Error(`${name} has no row in which a caller succeeds.`);
  return { name, isAddition: false, ok, who: cells, request };
}

/** An operation that interface.md lacks. */
export function addition(...terms: Terms): Operation {
  return { ...operation(...terms), isAddition: true };
}

/** Whether some caller is served. */
export function isServed(cells: Cells): boolean {
  return Object.values(cells).some((cell) => !(cell in REFUSALS));
}

function cellsOf(who: string): Cells {
  const cells = WHO.get(who);
  if (!cells) throw new Error(`No line of the table is called "${who}".`);
  return cells;
}

/**
 * The cells of each line of a table, by the name at its end.
 * @throws Error for a line that is not in that form
 */
export function readCells(table: string): ReadonlyMap<string, Cells> {
  const [head = '', ...lines] = table.split('\n').filter((line) => line.trim() !== '');
  if (words(head).join() !== [...COLUMNS, 'who'].join()) throw new Error(`No head: ${head}`);
  return new Map(lines.map(readLine));
}

function readLine(line: string): readonly [who: string, Cells] {
  const [letters, name] = [words(line).slice(0, COLUMNS.length), words(line).slice(COLUMNS.length)];
  if (!letters.every(isCell) || name.length === 0 || isCell(name[0] ?? '')) throw new Error(`No row: ${line}`);
  return [name.join(' '), Object.fromEntries(COLUMNS.map((column, index) => [column, letters[index]])) as Cells];
}

function isCell(letter: string): boolean {
  return letter === '+' || letter === 'o' || letter in REFUSALS;
}

function words(line: string): readonly string[] {
  return line.trim().split(/\s+/);
}

/** Who may call, in the letters of the contract; `optional`: any of them or nobody. */
export type Access = Exclude<Auth, readonly unknown[]> | readonly ('K' | 'B' | 'S')[];

const LETTERS = { api_key: 'K', owner_bearer: 'B', legacy_session: 'S' } as const;

/** An endpoint's credentials in the letters of the contract. */
export function accessOf(auth: Auth): Access {
  return typeof auth === 'string' ? auth : auth.map((kind) => LETTERS[kind]).toSorted();
}

const KINDS: readonly (readonly [kind: keyof typeof LETTERS, columns: readonly Column[]])[] = [
  ['api_key', ['rw', 'AK']],
  ['owner_bearer', ['B', 'AB']],
  ['legacy_session', ['S', 'AS']],
];

/** Empty where invalid credentials are ignored. */
export function kindsTakenBy(cells: Cells): readonly (keyof typeof LETTERS)[] {
  if (cells.bad !== '401' && cells.bad !== 'adm') return [];
  const isTaken = (column: Column) => cells[column] !== '403' && cells[column] !== 'adm';
  return KINDS.filter(([, columns]) => columns.some(isTaken)).map(([kind]) => kind);
}

/** Who may call, by the cells. */
export function accessBy(cells: Cells): Access {
  if (cells['-'] === 'adm') return 'admin';
  const kinds = kindsTakenBy(cells);
  if (kinds.length === 0) return 'none';
  return cells['-'] === cells.bad ? accessOf(kinds) : 'optional';
}
