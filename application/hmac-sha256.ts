import { createHmac } from 'node:crypto';

/** HMAC with SHA-256 (RFC 2104) of a text's UTF-8 bytes: 32 bytes. */
export function hmacSha256(key: Uint8Array, message: string): Uint8Array {
  return createHmac('sha256', key).update(message, 'utf8').digest();
}
