import { createHash, createHmac, hash } from 'node:crypto';

/** SHA-256 of the parts, one after the other; a text counts as its UTF-8 bytes. */
export function sha256(...parts: readonly (string | Uint8Array)[]): Buffer {
  // One call for the whole takes a fifth of the time of `createHash`.
  const [whole = ''] = parts.length > 1 ? [Buffer.concat(parts.map(bytesOf))] : parts;
  return hash('sha256', whole, 'buffer');
}

function bytesOf(part: string | Uint8Array): Uint8Array {
  return typeof part === 'string' ? Buffer.from(part) : part;
}

/** The same digest as 64 lower-case hexadecimal digits. */
export function sha256Hex(...parts: readonly (string | Uint8Array)[]): string {
  return sha256(...parts).toString('hex');
}

/** SHA-256, hex, of bytes that come in parts. */
export function sha256OfParts(): { readonly add: (part: Uint8Array) => void; readonly hex: () => string } {
  const hash = createHash('sha256');
  return { add: (part) => void hash.update(part), hex: () => hash.digest('hex') };
}

/** HMAC with SHA-256 (RFC 2104) of a text's UTF-8 bytes: 32 bytes. */
export function hmacSha256(key: Uint8Array, message: string): Uint8Array {
  return createHmac('sha256', key).update(message, 'utf8').digest();
}
