import { randomBytes } from 'node:crypto';
import { LOGIN_SECRET_BYTES } from '../../../domain/accounts/provider/provider-login.ts';
import { sha256 } from '../../sha256.ts';

/** A state, a nonce or a browser's secret. */
export function makeLoginSecret(): string {
  return randomBytes(LOGIN_SECRET_BYTES).toString('base64url');
}

/** SHA-256: its 256 random bits need no slow hash. */
export function hashOfLoginSecret(secret: string): Uint8Array {
  return sha256(secret);
}
