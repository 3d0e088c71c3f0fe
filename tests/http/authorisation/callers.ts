import type { Column } from '../operations/operation.ts';
import { type Cast, PAGES } from './cast.ts';
import { byBearer, byKey, bySession } from './credentials.ts';
import type { Party } from './party.ts';
import { ROWS, type Row } from './rows.ts';
import type { Headers } from './wire.ts';

export interface Caller {
  readonly column: Column;
  /** How this caller differs from others of its class. */
  readonly name: string;
  /**
   * Its credentials, with a new session if it has one. Those who are refused share one session of each party in a row:
   * what is refused changes nothing.
   */
  headers(use?: 'refused'): Promise<Headers>;
}

/** Who begins a login is refused by the site of the page alone, whatever the credential (tests/http/public/auth). */
const BEGIN_LOGIN = [
  ...['POST /public/auth/login', 'GET /public/auth/idp', 'POST /public/auth/idp/device'],
  ...['POST /public/auth/passkey', 'POST /public/auth/passkey/options'],
];
const OF_ANOTHER_SITE = ['bearer of any page', 'session of another page'];

/** Every caller of every class for the row. */
export function callersOf(cast: Cast, row: Row): readonly Caller[] {
  const leftOut = BEGIN_LOGIN.includes(row.operation) ? OF_ANOTHER_SITE : [];
  return Object.entries(classesOf(cast, row)).flatMap(([column, callers]) =>
    Object.entries(callers)
      .filter(([name]) => !leftOut.includes(name))
      .map(([name, made]) => ({
        column: column as Column,
        name,
        headers: async (use) => (typeof made === 'function' ? made(use) : made),
      })),
  );
}

/**
 * The callers of the row in `npm test`. A credential is judged by what the endpoint declares and by the method: all of
 * them send the first row of each kind, and one of each class sends the rows that are like it. With MATRIX=whole, as CI
 * has it, all of them send every row.
 */
export function sendersOf(cast: Cast, row: Row): readonly Caller[] {
  const all = callersOf(cast, row);
  if (process.env.MATRIX === 'whole' || row === ROWS.find((each) => kindOf(each) === kindOf(row))) return all;
  return all.filter(({ column }, index) => column !== all[index - 1]?.column);
}

function kindOf({ cells, method, path }: Row): string {
  return [...Object.values(cells), method === 'GET', path.split('/')[1]].join();
}

type Made = Headers | ((use?: 'refused') => Promise<Headers>);
type Class = Readonly<Record<string, Made>>;

function classesOf(cast: Cast, row: Row): Readonly<Record<Column, Class>> {
  const { owner, other, admin, bad } = cast;
  const of = row.of === 'password' ? 'password' : undefined;
  const shared = new Map<Party, Promise<string>>();
  const idOf = (party: Party, use?: 'refused') => {
    const id = (use && shared.get(party)) ?? party.session(of);
    if (use) shared.set(party, id);
    return id;
  };
  const session = (party: Party, page?: Headers) => async (use?: 'refused') => bySession(await idOf(party, use), page);
  /** The credentials of `first`, followed by the valid session of an admin. */
  const before =
    (first: Headers, second: Made = session(admin)) =>
    async (use?: 'refused') => ({
      ...(typeof second === 'function' ? await second(use) : second),
      ...first,
    });
  const key = byKey(owner.keys.read_write.api_key);
  const bearer = byBearer(owner.bearer);
  const badKey = byKey('sbk_nonsense');
  const badBearer = byBearer('not.a.token');
  return {
    '-': {
      'no credential': {},
      'another scheme': { authorization: `Basic ${owner.bearer}` },
      'an empty cookie': bySession(''),
      'a session under another name': async (use) => ({ cookie: `sid=${await idOf(owner, use)}` }),
    },
    bad: {
      ...bad,
      'a bad key before a good bearer': before(badKey, bearer),
      'a bad key before a good session': before(badKey, session(owner)),
      'a bad key before an admin': before(badKey),
      'a bad bearer before a good session': before(badBearer, session(owner)),
      'a bad bearer before an admin': before(badBearer),
      'an empty bearer before a good session': before({ authorization: 'Bearer' }, session(owner)),
      'an empty key before a good bearer': before(byKey(''), bearer),
    },
    rw: {
      key,
      'key before bad ones': { ...badBearer, ...bySession('made-up'), ...key },
      'key before an admin': before({ ...byBearer(admin.bearer), ...key }),
    },
    ro: { key: byKey(owner.keys.read_only.api_key) },
    ub: { key: byKey(owner.keys.unbound.api_key) },
    B: {
      bearer,
      'bearer in small letters': { authorization: `bearer ${owner.bearer}` },
      'bearer of any page': { ...bearer, origin: 'https://e.vil', 'sec-fetch-site': 'cross-site' },
      'bearer before a bad session': { ...bySession('made-up'), ...bearer },
      'bearer before an admin': before(bearer),
    },
    S: {
      'session of our page': session(owner),
      'session of our origin': session(owner, { origin: PAGES }),
    },
    'S!': foreign((page) => session(owner, page)),
    "rw'": { key: byKey(other.keys.read_write.api_key) },
    "B'": { bearer: byBearer(other.bearer) },
    "S'": { session: session(other) },
    AK: { key: byKey(admin.keys.read_write.api_key), 'key and session': before(byKey(admin.keys.read_write.api_key)) },
    AB: { bearer: byBearer(admin.bearer) },
    AS: { 'session of our page': session(admin), 'session of our origin': session(admin, { origin: PAGES }) },
    'AS!': foreign((page) => session(admin, page)),
  };
}

/** Sessions with the headers of foreign pages, and without the headers of any page. */
function foreign(sessionOn: (page: Headers) => Made): Class {
  return {
    'session of no page': sessionOn({}),
    'session of another page': sessionOn({ 'sec-fetch-site': 'cross-site' }),
    'session of a sibling': sessionOn({ 'sec-fetch-site': 'same-site', origin: PAGES }),
    'session of another origin': sessionOn({ origin: 'https://e.vil' }),
    'session of our host on another scheme': sessionOn({ origin: PAGES.replace('https:', 'http:') }),
    'session of an opaque origin': sessionOn({ origin: 'null' }),
  };
}
