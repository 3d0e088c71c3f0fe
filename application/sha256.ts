import { createHash, hash } from 'node:crypto';

/** SHA-256 of the parts, one after the other; a text counts as its UTF-8 bytes. */
export function sha256(...parts: readonly (string | Uint8Array)[]): Buffer {
  const [first, ...further] = parts;
  // A fifth of the time of `createHash`.
  if (first !== undefined && further.length === 0) return hash('sha256', first, 'buffer');
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part);
  return digest.digest();
}

/** The same digest as 64 lower-case hexadecimal digits. */
export function sha256Hex(...parts: readonly (string | Uint8Array)[]): string {
  return sha256(...parts).toString('hex');
}
