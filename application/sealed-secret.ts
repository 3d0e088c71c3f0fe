import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import { derivedKey, derivedKeys, type SecretValues } from './derived-key.ts';

// AES-256-GCM, as nonce, tag and ciphertext: the database alone opens nothing.
const ALGORITHM = 'aes-256-gcm';
const [NONCE, TAG] = [12, 16];

/** What a secret is sealed for: it opens for the same purpose and row alone. */
export interface SealedFor {
  /** SESSION_SECRET, from which the key derives. */
  readonly sessionSecret: SecretValues;
  /** Such as `webhook secrets`: each purpose has a key of its own. */
  readonly purpose: string;
  /** The row that it belongs to. */
  readonly row: string;
}

/** A secret as it is stored. */
export function sealSecret({ sessionSecret, purpose, row }: SealedFor, secret: string): Uint8Array {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(ALGORITHM, derivedKey(sessionSecret, purpose), nonce, { authTagLength: TAG });
  cipher.setAAD(Buffer.from(row));
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** The secret; null when it was sealed for something else, under another SESSION_SECRET, or was changed. */
export function openSecret({ sessionSecret, purpose, row }: SealedFor, sealed: Uint8Array): string | null {
  for (const key of derivedKeys(sessionSecret, purpose)) {
    const secret = openedBy(key, row, sealed);
    if (secret !== null) return secret;
  }
  return null;
}

function openedBy(key: KeyObject, row: string, sealed: Uint8Array): string | null {
  try {
    const [nonce, tag] = [sealed.subarray(0, NONCE), sealed.subarray(NONCE, NONCE + TAG)];
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG });
    decipher.setAAD(Buffer.from(row));
    decipher.setAuthTag(tag);
    return Buffer.concat([decipher.update(sealed.subarray(NONCE + TAG)), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}
