import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import { derivedKey } from './derived-key.ts';

// AES-256-GCM: no one else can read a cursor, forge one, or use it with another query.
const ALGORITHM = 'aes-256-gcm';
const [NONCE, TAG] = [12, 16];

/**
 * An opaque cursor: the place where the next page begins, encrypted and bound to its query. `query` is any value that
 * JSON represents and that is equal for equal queries; undefined members are ignored.
 */
export function sealCursor(secret: string, query: unknown, place: unknown): string {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(ALGORITHM, keyOf(secret), nonce, { authTagLength: TAG });
  cipher.setAAD(Buffer.from(JSON.stringify(query)));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(place)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** The sealed place; null for a cursor that this service did not make for this very query. */
export function openCursor(secret: string, query: unknown, cursor: string): unknown {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length < NONCE + TAG || bytes.toString('base64url') !== cursor) return null;
  const decipher = createDecipheriv(ALGORITHM, keyOf(secret), bytes.subarray(0, NONCE), { authTagLength: TAG });
  decipher.setAAD(Buffer.from(JSON.stringify(query)));
  decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
  try {
    const opened = Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()]);
    return JSON.parse(opened.toString());
  } catch {
    return null;
  }
}

/** The secret serves other purposes as well: this key is only for cursors. */
function keyOf(secret: string): KeyObject {
  return derivedKey(secret, 'page cursor');
}
