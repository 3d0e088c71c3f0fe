import { randomBytes } from 'node:crypto';
import { openSecret, type SecretValues, sealSecret } from '../../sealed-secret.ts';

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

/** Crockford's base 32, without signs that look alike: a power of two, so that every sign is equally likely. */
const SIGNS = '0123456789abcdefghjkmnpqrstvwxyz';

/** A random secret of so many signs, 5 bits each, in groups of four that can be read out and typed without doubt. */
export function readableSecret(signs: number): string {
  const text = Array.from(randomBytes(signs), (byte) => SIGNS.charAt(byte % SIGNS.length)).join('');
  return text.replace(/(.{4})(?=.)/g, '$1-');
}

/** Such a secret as a person types it, in one form: without regard to case, spaces and signs that look alike. */
export function typedSecret(text: string): string {
  return text.toLowerCase().replace(/[\s-]/g, '').replace(/o/g, '0').replace(/[il]/g, '1');
}
