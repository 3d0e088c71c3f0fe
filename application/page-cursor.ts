import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * An opaque cursor: where the next page begins, sealed together with what it is a page of, so that it cannot be made up
 * nor used with another query. `query` is anything that JSON can tell and that is equal for equal queries.
 */
export function sealCursor(secret: string, query: unknown, place: unknown): string {
  const payload = Buffer.from(JSON.stringify(place)).toString('base64url');
  return `${payload}.${seal(secret, query, payload)}`;
}

/** What was sealed; null for a cursor that was not made by us for this very query. */
export function openCursor(secret: string, query: unknown, cursor: string): unknown {
  const [payload = '', sealed = '', ...rest] = cursor.split('.');
  const expected = Buffer.from(seal(secret, query, payload));
  const presented = Buffer.from(sealed);
  if (rest.length > 0 || presented.length !== expected.length || !timingSafeEqual(presented, expected)) return null;
  return JSON.parse(Buffer.from(payload, 'base64url').toString());
}

function seal(secret: string, query: unknown, payload: string): string {
  return createHmac('sha256', secret)
    .update(JSON.stringify([query, payload]))
    .digest('base64url')
    .slice(0, 32);
}
