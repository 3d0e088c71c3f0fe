import { sha256 } from '../../sha256.ts';

/** SHA-256 of a session's id: its 256 random bits need no slow hash. */
export function hashOfSession(id: string): Uint8Array {
  return sha256(id);
}
