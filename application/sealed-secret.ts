import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

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

/**
 * A secret, or its values, the newest first. The newest seals and derives; the former ones still open what they sealed, so
 * that a new value ends nothing.
 */
export type SecretValues = string | readonly [string, ...(readonly string[])];

/**
 * A key of 256 bits for one purpose, from the newest value of a secret that serves several. Deriving it takes longer than
 * using it.
 */
export function derivedKey(secret: SecretValues, purpose: string): KeyObject {
  return keyOf(typeof secret === 'string' ? secret : secret[0], purpose);
}

/** The keys of all values, the newest first. */
export function derivedKeys(secret: SecretValues, purpose: string): readonly KeyObject[] {
  return (typeof secret === 'string' ? [secret] : secret).map((value) => keyOf(value, purpose));
}

function keyOf(secret: string, purpose: string): KeyObject {
  const known = derived.get(purpose)?.get(secret);
  if (known) return known;
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)));
  const ofPurpose = derived.get(purpose) ?? new Map<string, KeyObject>();
  if (ofPurpose.size >= MOST_VALUES) ofPurpose.clear();
  derived.set(purpose, ofPurpose.set(secret, key));
  return key;
}

/** Of a secret; a process has a few at most. */
const MOST_VALUES = 16;
const derived = new Map<string, Map<string, KeyObject>>();

/**
 * A keyed hash of a network, as text: equal for equal networks, and of no use without SESSION_SECRET, from which its key
 * derives. With another secret all hashes differ from those that are stored.
 */
export function networkHash(secret: SecretValues, network: string): string {
  return createHmac('sha256', derivedKey(secret, 'network of an event')).update(network).digest('hex').slice(0, DIGITS);
}

/** 64 bits: enough to tell networks apart, and short enough to compare by eye. */
const DIGITS = 16;
