import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/** A key of 256 bits for one purpose, from a secret that serves several. Deriving it takes longer than using it. */
export function derivedKey(secret: string, purpose: string): KeyObject {
  const known = derived.get(purpose);
  if (known?.secret === secret) return known.key;
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)));
  derived.set(purpose, { secret, key });
  return key;
}

const derived = new Map<string, { readonly secret: string; readonly key: KeyObject }>();
