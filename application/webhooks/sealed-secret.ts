import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import { secretOfKey } from '../../domain/webhooks/signature.ts';
import { derivedKey } from '../derived-key.ts';

// AES-256-GCM, as nonce, tag and ciphertext: the database alone signs nothing.
const ALGORITHM = 'aes-256-gcm';
const [NONCE, TAG] = [12, 16];
/** Of a new secret. */
const KEY_BYTES = 32;

export interface NewSecret {
  /** As its owner sees it, once. */
  readonly secret: string;
  readonly sealed: Uint8Array;
}

/** A new secret for one webhook. @param sessionSecret SESSION_SECRET */
export function makeSecret(sessionSecret: string, webhook_id: string): NewSecret {
  const secret = secretOfKey(randomBytes(KEY_BYTES));
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(ALGORITHM, keyOf(sessionSecret), nonce, { authTagLength: TAG });
  cipher.setAAD(Buffer.from(webhook_id));
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return { secret, sealed: Buffer.concat([nonce, cipher.getAuthTag(), text]) };
}

/** The secret of a webhook; null when it was sealed for another one, under another SESSION_SECRET, or was changed. */
export function openSecret(sessionSecret: string, webhook_id: string, sealed: Uint8Array): string | null {
  try {
    const [nonce, tag] = [sealed.subarray(0, NONCE), sealed.subarray(NONCE, NONCE + TAG)];
    const decipher = createDecipheriv(ALGORITHM, keyOf(sessionSecret), nonce, { authTagLength: TAG });
    decipher.setAAD(Buffer.from(webhook_id));
    decipher.setAuthTag(tag);
    return Buffer.concat([decipher.update(sealed.subarray(NONCE + TAG)), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}

function keyOf(sessionSecret: string): KeyObject {
  return derivedKey(sessionSecret, 'webhook secrets');
}
