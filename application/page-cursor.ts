import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';

// AES-256-GCM: nobody else can read a cursor, make one up, or use it with another query.
const ALGORITHM = 'aes-256-gcm';
const [NONCE, TAG] = [12, 16];

/**
 * An opaque cursor: where the next page begins, encrypted together with what it is a page of. `query` is anything that
 * JSON can tell and that is equal for equal queries; of members that are undefined it makes nothing.
 */
export function sealCursor(secret: string, query: unknown, place: unknown): string {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(ALGORITHM, keyOf(secret), nonce, { authTagLength: TAG });
  cipher.setAAD(Buffer.from(JSON.stringify(query)));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(place)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** What was sealed; null for a cursor that was not made by us for this very query. */
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

/** The secret seals other things as well: this key is the cursors' own. Deriving it takes longer than what it is used for. */
function keyOf(secret: string): KeyObject {
  if (derived?.secret !== secret) {
    derived = { secret, key: createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'page cursor', 32))) };
  }
  return derived.key;
}

let derived: { readonly secret: string; readonly key: KeyObject } | undefined;
