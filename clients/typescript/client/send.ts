import {
  AuthFailedError,
  ConnectionFailedError,
  errorOf,
  type RefusedError,
  UsageError,
  unexpectedReply,
} from './errors.ts';
import type { Settings } from './settings.ts';
import { backoff, type Reply, refusalOf, retryAfterOf, spreadWait } from './waits.ts';

/** Values of parameters; null and undefined are not sent. */
export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface ClientRequest {
  readonly method: string;
  /** From `/api/v1` on, without a query. */
  readonly path: string;
  readonly query?: Query | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether sending it twice does what sending it once does; by default, GET alone does. */
  readonly repeatable?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The reply of 2xx, after repetitions where these are harmless.
 * @throws RefusedError, ConnectionFailedError, UsageError, or the reason of the signal
 */
export async function send(settings: Settings, request: ClientRequest): Promise<Reply> {
  const url = urlOf(settings, request);
  const { repeatable = request.method === 'GET', signal } = request;
  for (let failures = 1; ; failures += 1) {
    const end = await attempt(settings, url, request);
    if ('reply' in end) return end.reply;
    signal?.throwIfAborted();
    const wait = waitAfter(settings, end, failures, repeatable);
    if (failures >= settings.attempts || wait === null) throw errorAfter(settings, end, request, failures);
    await settings.sleep(wait, signal);
  }
}

/** Requests as the owner of an account. */
export interface OwnerSession {
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the session; what went wrong with that, which changes no result, or null. */
  close(): Promise<unknown>;
}

/** A login by password. */
export interface PasswordLogin {
  readonly email: string;
  readonly password: string;
  /** Of the authenticator app, or a recovery code; a function is asked where the account needs one. */
  readonly code?: string | (() => Promise<string>);
}

/** Logs in with a password, without the key. @throws what `send` throws */
export async function openOwnerSession(
  { url, ...others }: Settings,
  owner: PasswordLogin,
  signal?: AbortSignal,
): Promise<OwnerSession> {
  const settings = { ...others, url, apiKey: null };
  const login = await logIn(settings, owner, signal);
  const cookies = login.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
  const headers = { cookie: cookies.join('; '), 'sec-fetch-site': 'same-origin' };
  return {
    headers,
    close: () =>
      send(settings, { method: 'POST', path: '/api/v1/owner/auth/logout', headers }).then(
        () => null,
        (fault: unknown) => fault,
      ),
  };
}

async function logIn(settings: Settings, { email, password, code }: PasswordLogin, signal?: AbortSignal) {
  const attempt = (sent?: string) => {
    const body = { email, password, ...(sent === undefined ? {} : factorOf(sent)) };
    return send(settings, { method: 'POST', path: '/api/v1/public/auth/login', body, signal });
  };
  if (typeof code !== 'function') return attempt(code);
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof AuthFailedError) || error.code !== 'SECOND_FACTOR_REQUIRED') throw error;
    return attempt(await code());
  }
}

/** Six digits are of an app, perhaps with the blanks that it shows. */
function factorOf(code: string) {
  const digits = code.replaceAll(' ', '');
  return /^\d{6}$/.test(digits) ? { totp: digits } : { recovery_code: code.trim() };
}

/** How an attempt ended. */
type End =
  | { readonly reply: Reply }
  | { readonly refused: RefusedError; readonly reply_headers: Headers }
  | { readonly failure: unknown };

async function attempt(
  settings: Settings,
  url: string,
  { method, body, headers, signal }: ClientRequest,
): Promise<End> {
  const timeout = AbortSignal.timeout(settings.timeoutSeconds * 1_000);
  let reply: Reply;
  try {
    const response = await settings.fetch(url, {
      method,
      headers: {
        ...(settings.apiKey === null ? {} : { 'x-api-key': settings.apiKey }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // The key would go to where the redirection leads.
      redirect: 'manual',
      credentials: 'omit',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    reply = { status: response.status, headers: response.headers, text: await response.text() };
  } catch (failure) {
    return { failure };
  }
  if (reply.status >= 200 && reply.status < 300) return { reply };
  const refusal = refusalOf(reply, settings.now());
  const refused =
    reply.status >= 400
      ? errorOf(refusal)
      : unexpectedReply(reply.status, 'The reply is a redirection, which is not followed.', refusal.requestId);
  return { refused, reply_headers: reply.headers };
}

type Failed = Exclude<End, { readonly reply: Reply }>;

/** Seconds; null where the request must not be sent again. */
function waitAfter(settings: Settings, end: Failed, failures: number, repeatable: boolean): number | null {
  const { now, random, mostWaitSeconds } = settings;
  if ('failure' in end) return repeatable ? backoff(failures, random) : null;
  if (!canRepeat(end.refused, repeatable)) return null;
  const named = retryAfterOf(end.reply_headers, now()) ?? end.refused.retryAfterSeconds;
  if (named === null || named <= 0) return backoff(failures, random);
  return named > mostWaitSeconds ? null : spreadWait(named, random);
}

/** A rate window and an unfinished request did nothing. A cooldown, a quota and a missing part outlast a retry. */
function canRepeat({ status, category, code }: RefusedError, repeatable: boolean): boolean {
  if (status === 408) return true;
  if (status === 429) return category === 'retryable' && code !== 'DUPLICATE_SUBMISSION';
  return repeatable && status >= 500 && category !== 'service_degraded';
}

function errorAfter(
  { timeoutSeconds }: Settings,
  end: Failed,
  { method, path, headers }: ClientRequest,
  attempts: number,
): Error {
  if ('refused' in end) return end.refused;
  const isSlow = end.failure instanceof Error && end.failure.name === 'TimeoutError';
  const times = `${attempts === 1 ? 'one attempt' : `${attempts} attempts`}${isSlow ? ` of ${timeoutSeconds} s (timeoutSeconds)` : ''}`;
  const key = headers?.['idempotency-key'] ?? null;
  return new ConnectionFailedError(`${method} ${path} got no whole reply in ${times}.`, key, end.failure);
}

function urlOf({ url }: Settings, { path, query = {} }: ClientRequest): string {
  if (!PATH.test(path) || LEAVING.test(path)) throw new UsageError(NO_PATH);
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined) parameters.set(name, String(value));
  }
  return `${url}${path}${parameters.size > 0 ? `?${parameters}` : ''}`;
}

const PATH = /^(\/[\w.~!$&'()*+,;=:@%-]+)+$/;
/** Segments that a URL resolves: the service would get a shorter path, of something else. */
const LEAVING = /\/(\.|%2e){1,2}(\/|$)/i;
const NO_PATH = 'A path has no empty part, no . and no ..: give the whole id of the record or of the plan.';
