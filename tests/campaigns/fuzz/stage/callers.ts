import type { Person } from './people.ts';
import type { Provider } from './provider.ts';

export type Headers = Readonly<Record<string, string>>;

/** A caller with its credential. */
export interface Caller {
  readonly name: string;
  /** The kind of credential as the document names it; null without a valid one. */
  readonly credential: 'api_key' | 'owner_bearer' | 'legacy_session' | null;
  readonly isAdmin: boolean;
  /** Whether it is a key that may submit. */
  readonly submits: boolean;
  /** Whether it is a session without a page of origin, which may change nothing. */
  readonly isForeign: boolean;
  headers(): Headers;
}

const OWN_PAGE = { 'sec-fetch-site': 'same-origin' } as const;

/** One caller of every kind. */
export async function callersOf(
  [owner, other, admin]: readonly [Person, Person, Person],
  provider: Provider,
): Promise<readonly Caller[]> {
  const bearer = async (subject: string, audience?: string) => ({
    authorization: `Bearer ${await provider.token(subject, audience)}`,
  });
  return [
    anonymous('no credential', {}),
    anonymous('bad key', { 'x-api-key': 'sbk_nonsense' }),
    anonymous('revoked key', { 'x-api-key': owner.keys.revoked }),
    anonymous('bad bearer', { authorization: 'Bearer not.a.token' }),
    anonymous('bearer for others', await bearer('fuzz owner', 'https://other.example.com')),
    anonymous('bad session', { cookie: 'sid=made-up', ...OWN_PAGE }),
    byKey('read_write key', owner.keys.read_write, true),
    byKey('read_only key', owner.keys.read_only, false),
    byKey('unbound key', owner.keys.unbound, false),
    byKey("another owner's key", other.keys.read_write, true),
    bySession('session', owner),
    bySession("another owner's session", other),
    { ...bySession('session from nowhere', owner), isForeign: true, headers: () => cookie(owner.session) },
    caller('bearer', 'owner_bearer', await bearer('fuzz owner')),
    caller("another owner's bearer", 'owner_bearer', await bearer('fuzz other')),
    { ...bySession('admin session', admin), isAdmin: true },
    { ...caller('admin bearer', 'owner_bearer', await bearer(ADMIN_SUBJECT)), isAdmin: true },
    byKey('key of an admin', admin.keys.read_write, true),
  ];
}

/** The provider's subject that becomes an admin. */
export const ADMIN_SUBJECT = 'fuzz admin';

/** The caller who logged in with a password. */
export function accountCaller(cookie: string): Caller {
  return caller('session of a password', 'legacy_session', { cookie, ...OWN_PAGE });
}

function caller(name: string, credential: Caller['credential'], headers: Headers): Caller {
  return { name, credential, isAdmin: false, submits: false, isForeign: false, headers: () => headers };
}

function anonymous(name: string, headers: Headers): Caller {
  return caller(name, null, headers);
}

function byKey(name: string, key: string, submits: boolean): Caller {
  return { ...caller(name, 'api_key', { 'x-api-key': key }), submits };
}

function bySession(name: string, { session }: Person): Caller {
  return caller(name, 'legacy_session', { ...cookie(session), ...OWN_PAGE });
}

function cookie(session: string): Headers {
  return { cookie: `sid=${session}` };
}
