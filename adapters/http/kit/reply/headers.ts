import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { replyJson } from '../../../../application/json-text.ts';
import type { QuotaState } from '../../../../application/quotas/admit-request.ts';
import { CONTRACT_LIMITS } from '../../../../domain/limits.ts';
import {
  ALL_PARTS,
  Problem,
  type ProblemDetail,
  type RequestedLogin,
  suggestionWith,
} from '../../../../domain/problem.ts';
import type { RateState } from '../../../../domain/quotas/admission.ts';
import { MINUTE, nextUtcDay, SECOND } from '../../../../domain/time.ts';

export const CHALLENGE = 'Bearer realm="stancebook"';

/** The maximum size of request line and headers together, in bytes; no parameter can be longer. */
export const HEAD_BYTES = 16 * 1024;

const SANE_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's own `x-request-id` if it is safe to log and return, else a new UUID. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && SANE_ID.test(sent) ? sent : randomUUID();
}

/** The headers of every response, pages included, as name, value, name, value. */
export const COMMON_HEADERS: readonly string[] = [
  'x-content-type-options',
  'nosniff',
  'referrer-policy',
  'no-referrer',
  'cross-origin-resource-policy',
  'same-origin',
];

/** For pages of HTML: no window of another site can refer to them, and they use no device but authenticators of passkeys. */
export const DOCUMENT_HEADERS: readonly string[] = [
  ...COMMON_HEADERS,
  'cross-origin-opener-policy',
  'same-origin',
  'permissions-policy',
  'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), publickey-credentials-create=(self), publickey-credentials-get=(self), usb=()',
];

/** For what is no page: opened as one it loads and runs nothing, and no site may frame it. */
export const INERT: readonly string[] = ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"];

/** For replies with data: they are not cached, and scripts in them cannot run. */
export const DATA_HEADERS: readonly string[] = [...COMMON_HEADERS, 'cache-control', 'no-store', ...INERT];

/** The seven limit headers of every response (settled.md section 7), as name, value, name, value. */
export function limitHeaders(rate: RateState, quota: QuotaState | null, now: Date = new Date()): string[] {
  return [
    'x-ratelimit-limit',
    String(rate.limit),
    'x-ratelimit-remaining',
    String(rate.remaining),
    'x-ratelimit-reset',
    String(unixTime(rate.reset)),
    'x-quota-resource',
    quota?.resource ?? 'none',
    'x-quota-remaining',
    quota ? String(quota.remaining) : 'unlimited',
    'x-quota-limit',
    quota ? String(quota.limit) : 'unlimited',
    'x-quota-reset',
    String(unixTime(quota?.reset ?? new Date(nextUtcDay(now.getTime())))),
  ];
}

/** For paths outside /api/v1, such as pages and probes, which are not counted; `limit`: the limit of an address. */
export function uncounted(limit: number = CONTRACT_LIMITS.addressPerMinute, now: number = Date.now()): RateState {
  return { limit, remaining: limit, reset: new Date((Math.floor(now / MINUTE) + 1) * MINUTE) };
}

/** For replies without a counter: parser errors, and the database cannot be reached. */
export function uncountable(
  retryAfter: number | null,
  limit: number = CONTRACT_LIMITS.addressPerMinute,
  now: number = Date.now(),
): RateState {
  return { limit, remaining: 0, reset: new Date(now + (retryAfter ?? 1) * SECOND) };
}

function unixTime(at: Date): number {
  return Math.ceil(at.getTime() / SECOND);
}

/** The body of every error (interface.md section 7). */
export interface Envelope {
  readonly error: {
    readonly code: string;
    readonly category: string;
    readonly message: string;
    readonly suggestion: string;
    readonly retry_after_seconds: number | null;
    readonly details?: readonly ProblemDetail[];
    readonly request_id: string;
  };
}

/** @param parts those of this service that a suggestion may name */
export function envelope(problem: Problem, requestId: string, parts = ALL_PARTS): Envelope {
  const { code, category, message, retry_after_seconds, details } = problem;
  return {
    error: {
      code,
      category,
      message,
      suggestion: suggestionWith(problem, parts),
      retry_after_seconds,
      ...(details ? { details } : {}),
      request_id: requestId,
    },
  };
}

/** The headers that a refusal needs in addition to the common ones, as name, value, name, value. */
export function refusalHeaders({ status, login, retry_after_seconds }: Problem): string[] {
  const headers: string[] = [];
  if (login) headers.push('www-authenticate', loginChallenge(login));
  else if (status === 401) headers.push('www-authenticate', CHALLENGE);
  if (retry_after_seconds !== null) headers.push('retry-after', String(retry_after_seconds));
  return headers;
}

/** RFC 9470, section 3: a client sends both values on in its next authorization request. */
function loginChallenge({ max_age, acr_values }: RequestedLogin): string {
  const age = max_age === undefined ? '' : `, max_age="${max_age}"`;
  const levels = acr_values.join(' ').replace(/["\\]/g, '\\$&');
  const level = levels === '' ? '' : `, acr_values="${levels}"`;
  return `${CHALLENGE}, error="insufficient_user_authentication"${age}${level}`;
}

/** The refusal for an error of the HTTP parser; null when the connection is closed. */
export function parserProblem(code: string | undefined): Problem | null {
  switch (code) {
    case 'ECONNRESET':
    case 'EPIPE':
      return null;
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('HEADERS_TOO_LARGE', 'The request line and headers are larger than 16 KiB.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Problem('PAYLOAD_TOO_LARGE', 'The chunk extensions are too large.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('REQUEST_TIMEOUT', 'The request did not arrive in time.');
    default:
      return new Problem('VALIDATION_ERROR', 'This is not a valid HTTP request.', {
        suggestion: 'Send a well-formed HTTP/1.1 request.',
      });
  }
}

/** A refusal as the headers and body of a response outside of any exchange, the common headers included. */
export function bareReply(
  problem: Problem,
  addressPerMinute: number,
): { readonly headers: string[]; readonly body: string } {
  const requestId = randomUUID();
  const body = replyJson(envelope(problem, requestId));
  const headers = [
    'x-request-id',
    requestId,
    ...limitHeaders(uncountable(problem.retry_after_seconds, addressPerMinute), null),
    ...DATA_HEADERS,
    ...refusalHeaders(problem),
    'content-type',
    'application/json; charset=utf-8',
    'content-length',
    String(Buffer.byteLength(body)),
    'connection',
    'close',
  ];
  return { headers, body };
}

/** The same as the bytes of a whole HTTP response, for a socket without a parsed request. */
export function rawReply(problem: Problem, addressPerMinute: number, extra: readonly string[] = []): string {
  const { headers, body } = bareReply(problem, addressPerMinute);
  const fields = ['date', new Date().toUTCString(), ...headers, ...extra];
  const lines = [`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? 'Error'}`];
  for (let i = 0; i + 1 < fields.length; i += 2) lines.push(`${fields[i]}: ${fields[i + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** The headers of every response, refusals included (settled.md sections 2 and 7). */
export const ALWAYS_SENT: readonly string[] = [
  'x-request-id',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-quota-resource',
  'x-quota-remaining',
  'x-quota-limit',
  'x-quota-reset',
];
