import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

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
