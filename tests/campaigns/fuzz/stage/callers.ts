import type { Person } from './people.ts';
import type { Provider } from './provider.ts';

export type Headers = Readonly<Record<string, string>>;

/** Somebody who asks. */
export interface Caller {
  readonly name: string;
  /** The kind of credential as the document names it; null: none that is good. */
  readonly credential: 'api_key' | 'owner_bearer' | 'legacy_session' | null;
  readonly isAdmin: boolean;
  /** A key that may submit. */
  readonly submits: boolean;
  /** A session that comes from nowhere may change nothing. */
  readonly isForeign: boolean;
  headers(): Headers;
}

const OWN_PAGE = { 'sec-fetch-site': 'same-origin' } as const;

/** Every kind of caller there is. */
export async function callersOf(
  [owner, other, admin]: readonly [Person, Person, Person],
  provider: Provider,
): Promise<readonly Caller[]> {
  const bearer = async (subject: string, audience?: string) => ({
    authorization: `Bearer ${await provider.token(subject, audience)}`,
  });
  return [
    stranger('nobody', {}),
    stranger('bad key', { 'x-api-key': 'sbk_nonsense' }),
    stranger('revoked key', { 'x-api-key': owner.keys.revoked }),
    stranger('bad bearer', { authorization: 'Bearer not.a.token' }),
    stranger('bearer for others', await bearer('fuzz owner', 'https://other.example.com')),
    stranger('bad session', { cookie: 'sid=made-up', ...OWN_PAGE }),
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

/** Whom the provider knows under this name is made an admin. */
export const ADMIN_SUBJECT = 'fuzz admin';

/** Whoever logged in by password. */
export function accountCaller(cookie: string): Caller {
  return caller('session of a password', 'legacy_session', { cookie, ...OWN_PAGE });
}

function caller(name: string, credential: Caller['credential'], headers: Headers): Caller {
  return { name, credential, isAdmin: false, submits: false, isForeign: false, headers: () => headers };
}

function stranger(name: string, headers: Headers): Caller {
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
