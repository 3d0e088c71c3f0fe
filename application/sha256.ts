import { createHash } from 'node:crypto';

/** SHA-256 of the parts, one after the other; a text counts as its UTF-8 bytes. */
export function sha256(...parts: readonly (string | Uint8Array)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** The same digest as 64 lower-case hexadecimal digits. */
export function sha256Hex(...parts: readonly (string | Uint8Array)[]): string {
  return sha256(...parts).toString('hex');
}
