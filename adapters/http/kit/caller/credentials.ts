import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { KeyBar } from '../../../../domain/accounts/keys/api-key.ts';
import type { Caller } from '../../../../domain/caller.ts';
import { Problem, type ProblemOptions } from '../../../../domain/problem.ts';
import { type Millis, SECOND } from '../../../../domain/time.ts';
import type { Credential, Endpoint } from '../endpoint.ts';

export interface CredentialRules {
  /** The name of the session's cookie: `__Host-sid` on https, `sid` on plain http. */
  readonly sessionCookie: string;
  /** The only origin of our own pages; undefined: that of the Host header. */
  readonly publicOrigin?: string | undefined;
}

/** What decides who is admitted to an endpoint. */
export type Guarded = Pick<Endpoint, 'auth'> & Partial<Pick<Endpoint, 'permission' | 'beginsLogin' | 'withoutFactor'>>;

/** The first present of API key, bearer and session; the others are ignored (settled.md section 8). */
export function presentedCredential(request: IncomingMessage, { sessionCookie }: CredentialRules): Credential | null {
  const { headers } = request;
  const key = headers['x-api-key'];
  if (key !== undefined) return { kind: 'api_key', secret: String(key) };
  // An empty token counts as present, like an empty key.
  const bearer = /^bearer(?:[ \t]|$)(.*)$/i.exec(headers.authorization ?? '')?.[1];
  if (bearer !== undefined) return { kind: 'owner_bearer', secret: bearer.trim() };
  const session = cookieOf(request, sessionCookie);
  return session ? { kind: 'legacy_session', secret: session } : null;
}

/**
 * The refusal of a caller without the required credential, after its rate was counted; undefined if the caller is
 * admitted. `caller` is the owner of the credential; null when the credential is not valid, with the `bar` of a key that its
 * bounds refuse, and the address that the request is `from`.
 */
export function credentialRefusal(
  request: IncomingMessage,
  endpoint: Guarded,
  credential: Credential | null,
  caller: Caller | null,
  rules: CredentialRules,
  bar: KeyBar | null = null,
  from: string | null = null,
): Problem | undefined {
  if (endpoint.auth === 'none') return endpoint.beginsLogin && otherSite(request);
  if (credential === null) return endpoint.auth === 'optional' ? undefined : missing(request, endpoint);
  if (caller === null) return (bar && barred(endpoint, bar, from)) ?? invalid(endpoint, credential);
  return otherKind(credential, endpoint) ?? insufficient(caller, endpoint) ?? foreignPage(request, credential, rules);
}

/** Whether this kind of credential may be served here, before the caller behind it is looked up. */
export function mayBeServed(
  request: IncomingMessage,
  endpoint: Guarded,
  credential: Credential,
  rules: CredentialRules,
): boolean {
  return (otherKind(credential, endpoint) ?? foreignPage(request, credential, rules)) === undefined;
}

export function cookieOf({ headers }: IncomingMessage, name: string): string | undefined {
  for (const pair of headers.cookie?.split(';') ?? []) {
    const equals = pair.indexOf('=');
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}

const PLACES = {
  api_key: 'the header X-API-Key',
  owner_bearer: 'the header Authorization: Bearer',
  legacy_session: 'the session cookie of a login',
} as const;

const ALL_KINDS = Object.keys(PLACES) as readonly Credential['kind'][];

/** How to get a valid credential. */
const RENEWAL = {
  api_key: 'Send the whole key as it was shown; the owner replaces one that is lost or revoked.',
  owner_bearer: 'Get a new access token for this service from the identity provider.',
  legacy_session: 'Log in again: POST /api/v1/public/auth/login.',
} as const;

function missing({ headers }: IncomingMessage, endpoint: Guarded): Problem {
  if (endpoint.auth === 'admin') return adminRequired();
  if (KEY_ANYWHERE.test(headers.authorization ?? '')) return misplacedKey(endpoint);
  return new Problem(
    'UNAUTHORIZED',
    'No credential was sent.',
    sentence(endpoint, (kinds) => `Send ${kinds}.`),
  );
}

/** An API key in any scheme of the header Authorization. */
const KEY_ANYWHERE = /(^|[ \t"=:])sbk_/;

function misplacedKey(endpoint: Guarded): Problem {
  const message = 'An API key was sent in the header Authorization, where it is not read.';
  if (!accepts(endpoint, 'api_key')) return new Problem('UNAUTHORIZED', message, onlyCredentialsOf(endpoint));
  return new Problem('UNAUTHORIZED', message, {
    suggestion: 'Send the key as the header X-API-Key, without Authorization: X-API-Key: sbk_...',
  });
}

function invalid(endpoint: Guarded, { kind, secret }: Credential): Problem {
  if (endpoint.auth === 'admin') return adminRequired();
  if (kind === 'owner_bearer' && KEY_ANYWHERE.test(secret)) return misplacedKey(endpoint);
  const others = onlyCredentialsOf(endpoint);
  const { without } = kind === 'owner_bearer' ? others : { without: {} };
  const options = accepts(endpoint, kind) ? { suggestion: RENEWAL[kind], without } : others;
  return new Problem('UNAUTHORIZED', `The credential in ${PLACES[kind]} is not valid.`, options);
}

/** Where no key is accepted, such a key is as invalid as any other. */
function barred(endpoint: Guarded, bar: KeyBar, from: string | null): Problem | null {
  if (endpoint.auth === 'admin' || !accepts(endpoint, 'api_key')) return null;
  if (bar === 'expired') return new Problem('KEY_EXPIRED', 'This API key has expired.');
  const kind = from === null ? '' : `${from.includes(':') ? 'IPv6' : 'IPv4'} `;
  return new Problem('KEY_NETWORK_REFUSED', `The owner of this API key does not allow it from this ${kind}network.`);
}

function otherKind({ kind }: Credential, endpoint: Guarded): Problem | undefined {
  if (accepts(endpoint, kind)) return undefined;
  return new Problem('FORBIDDEN', `This endpoint does not accept ${PLACES[kind]}.`, onlyCredentialsOf(endpoint));
}

function accepts({ auth }: Guarded, kind: Credential['kind']): boolean {
  return typeof auth === 'string' || auth.includes(kind);
}

function onlyCredentialsOf(endpoint: Guarded): Advice {
  const onlyKeys = Array.isArray(endpoint.auth) && endpoint.auth.join() === 'api_key';
  return sentence(endpoint, (kinds) => `Send ${kinds}, and no other credential.${onlyKeys ? NEW_KEY : ''}`);
}

type Advice = Required<Pick<ProblemOptions, 'suggestion' | 'without'>>;

/** A suggestion that names the accepted kinds of credential: bearer tokens only where a provider issues them. */
function sentence({ auth }: Guarded, naming: (kinds: string) => string): Advice {
  const kinds = typeof auth === 'string' ? ALL_KINDS : auth;
  const named = (some: readonly Credential['kind'][]) => naming(some.map((kind) => PLACES[kind]).join(' or '));
  const others = kinds.filter((kind) => kind !== 'owner_bearer');
  const isShorter = others.length > 0 && others.length < kinds.length;
  return { suggestion: named(kinds), without: isShorter ? { provider: named(others) } : {} };
}

const NEW_KEY = ' An owner creates a key for an agent: POST /api/v1/owner/auth/api-keys.';

function insufficient(caller: Caller, { auth, permission }: Guarded): Problem | undefined {
  if (auth === 'none' || auth === 'optional') return undefined;
  if (auth === 'admin') return 'role' in caller && caller.role === 'admin' ? undefined : adminRequired();
  if (permission !== 'submit' || caller.credential !== 'api_key') return undefined;
  if (caller.permission_mode !== 'read_write') {
    return new Problem('FORBIDDEN', 'This API key is read_only.', { suggestion: 'Use a key of mode read_write.' });
  }
  return caller.agent_id === null
    ? new Problem('KEY_UNBOUND', 'This API key is not bound to an agent, so it cannot submit.')
    : undefined;
}

/** A browser sends the cookie from pages of any site: changes by session must come from a page of this service. */
function foreignPage(
  request: IncomingMessage,
  { kind }: Credential,
  { publicOrigin }: CredentialRules,
): Problem | undefined {
  if (kind !== 'legacy_session' || request.method === 'GET' || request.method === 'HEAD') return undefined;
  const { origin, host, 'sec-fetch-site': site } = request.headers;
  const ours = publicOrigin === undefined ? [`https://${host}`, `http://${host}`] : [publicOrigin];
  const isOurs = origin !== undefined && ours.includes(origin);
  if (site === undefined && isOurs) return undefined;
  if (site === 'same-origin' && (isOurs || origin === undefined || publicOrigin === undefined)) return undefined;
  return new Problem('CROSS_ORIGIN_SESSION', 'A change by session must come from a page of this service.');
}

/**
 * A page of another site could log a browser in to an account of its own. Following a link is no such request, and a
 * client that is no browser sends no Sec-Fetch-Site.
 */
function otherSite({ method, headers }: IncomingMessage): Problem | undefined {
  if (headers['sec-fetch-site'] !== 'cross-site') return undefined;
  if (method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document')
    return undefined;
  return new Problem('CROSS_ORIGIN_SESSION', 'A page of another site cannot log a browser in.', {
    suggestion: 'Log in from a page of this service.',
  });
}

function adminRequired(): Problem {
  return new Problem('ADMIN_REQUIRED', 'This area needs admin access.');
}

/**
 * The origin of this service: PUBLIC_URL, or http at the local address of the connection. The Host header is ignored,
 * because the caller chooses it.
 */
export function ownOrigin(
  { socket }: IncomingMessage,
  { publicOrigin }: Pick<CredentialRules, 'publicOrigin'>,
): string {
  if (publicOrigin !== undefined) return publicOrigin;
  const address = (socket.localAddress ?? '127.0.0.1').replace(/^::ffff:(?=\d+\.)/, '');
  return new URL(`http://${isIPv6(address) ? `[${address}]` : address}:${socket.localPort}`).origin;
}

/**
 * The Set-Cookie that gives a browser its session (settled.md section 8). Scripts cannot read it, and forms of other
 * sites do not send it. Browsers accept a name with `__Host-` only on https and only from this host.
 */
export function sessionCookie(name: string, id: string, maxAge: Millis): string {
  const secure = name.startsWith('__Host-') ? '; Secure' : '';
  return `${name}=${id}; Path=/; Max-Age=${Math.floor(maxAge / SECOND)}; HttpOnly; SameSite=Lax${secure}`;
}

/** The Set-Cookie that deletes it in the browser. */
export function clearedSessionCookie(name: string): string {
  return sessionCookie(name, '', 0);
}

/** The name of the cookie that shows that a browser has logged in to an account before. */
export function deviceCookie(sessionCookieName: string): string {
  return sessionCookieName.startsWith('__Host-') ? '__Host-device' : 'device';
}

/** The name of the cookie that binds a login through the identity provider to its browser. */
export function browserCookie(sessionCookieName: string): string {
  return sessionCookieName.startsWith('__Host-') ? '__Host-idp' : 'idp';
}

/** The name of the cookie that binds a challenge for passkeys to its browser. */
export function passkeyCookie(sessionCookieName: string): string {
  return sessionCookieName.startsWith('__Host-') ? '__Host-passkey' : 'passkey';
}
