import { createHash } from 'node:crypto';

/** SHA-256 of a session's id: its 256 random bits need no slow hash. */
export function hashOfSession(id: string): Uint8Array {
  return createHash('sha256').update(id).digest();
}
