import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import { PAGE } from '../domain/limits.ts';
import { filterProblem } from './decisions/read-track-record.ts';
import { derivedKey, derivedKeys, type SecretValues } from './sealed-secret.ts';

// AES-256-GCM: no one else can read a cursor, forge one, or use it with another query.
const ALGORITHM = 'aes-256-gcm';
const [NONCE, TAG] = [12, 16];
/** The secret serves other purposes as well: this key is only for cursors. */
const PURPOSE = 'page cursor';

/**
 * An opaque cursor: the place where the next page begins, encrypted and bound to its query. `query` is any value that
 * JSON represents and that is equal for equal queries; undefined members are ignored.
 */
export function sealCursor(secret: SecretValues, query: unknown, place: unknown): string {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(ALGORITHM, derivedKey(secret, PURPOSE), nonce, { authTagLength: TAG });
  cipher.setAAD(Buffer.from(JSON.stringify(query)));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(place)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** The sealed place; null for a cursor that this service did not make for this very query. */
export function openCursor(secret: SecretValues, query: unknown, cursor: string): unknown {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length < NONCE + TAG || bytes.toString('base64url') !== cursor) return null;
  const [place] = derivedKeys(secret, PURPOSE).flatMap((key) => openedBy(key, query, bytes));
  return place?.opened ?? null;
}

function openedBy(key: KeyObject, query: unknown, bytes: Buffer): readonly { readonly opened: unknown }[] {
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE), { authTagLength: TAG });
  decipher.setAAD(Buffer.from(JSON.stringify(query)));
  decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
  try {
    const opened = Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()]);
    return [{ opened: JSON.parse(opened.toString()) }];
  } catch {
    return [];
  }
}

/** Which page of a list is read. */
export interface CursorQuery {
  /** The cursor of a page of the same query. */
  readonly cursor?: string | undefined;
  /** 1-100, 20 by default. */
  readonly limit?: number | undefined;
}

export interface CursorPage<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}

/**
 * The place behind which a page begins, as it was sealed; null for the first page.
 * @param about what the cursor is bound to
 * @throws Problem VALIDATION_ERROR for a cursor of another query
 */
export function sealedPlace(secret: SecretValues, about: unknown, cursor: string | undefined): unknown {
  if (cursor === undefined) return null;
  const place = openCursor(secret, about, cursor);
  if (place === null) throw filterProblem({ path: 'cursor', message: 'must be the next_cursor of the same query' });
  return place;
}

/** The first `limit` rows, and the last of them where more follow. */
export async function cutPage<Row>(
  read: (limit: number) => Promise<readonly Row[]>,
  limit: number = PAGE.defaultLimit,
): Promise<{ readonly rows: readonly Row[]; readonly last: Row | undefined }> {
  const found = await read(limit + 1);
  const rows = found.slice(0, limit);
  return { rows, last: found.length > limit ? rows.at(-1) : undefined };
}
