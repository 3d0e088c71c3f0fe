import type { SecretValues } from '../../derived-key.ts';
import { openSecret, sealSecret } from '../../sealed-secret.ts';

/** The secret of an owner's authenticator app, as it is stored. @param sessionSecret SESSION_SECRET */
export function sealTotp(sessionSecret: SecretValues, owner_id: string, secret: string): Uint8Array {
  return sealSecret(sealedFor(sessionSecret, owner_id), secret);
}

/** The secret; null when it was sealed for another owner, under another SESSION_SECRET, or was changed. */
export function openTotp(sessionSecret: SecretValues, owner_id: string, sealed: Uint8Array): string | null {
  return openSecret(sealedFor(sessionSecret, owner_id), sealed);
}

function sealedFor(sessionSecret: SecretValues, row: string) {
  return { sessionSecret, purpose: 'secrets of authenticator apps', row };
}
