import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

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
