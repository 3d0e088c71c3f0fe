import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { derivedKey } from '../../derived-key.ts';
import type { PasswordAccount } from './password-account.ts';

/** What a token is bound to: it is void once the password is another one. */
type Account = Pick<PasswordAccount, 'owner_id' | 'password_hash'>;

/**
 * The token of a browser that has logged in to the account, for a cookie that outlives sessions. It gives the browser an
 * allowance of wrong passwords of its own, and no access. Nothing is stored; it ends with the password.
 * @param device_id of its earlier token; a new one by default
 */
export function deviceToken(secret: string, account: Account, device_id?: string | null): string {
  const id = device_id ?? randomBytes(ID_BYTES).toString('base64url');
  return `${id}.${sealOf(secret, account, id).toString('base64url')}`;
}

/** The device of a token for this account; null for a token that is not valid for it. */
export function deviceOf(secret: string, account: Account, token: string): string | null {
  const [id = '', seal = '', ...more] = token.split('.');
  const presented = Buffer.from(seal, 'base64url');
  const expected = sealOf(secret, account, id);
  if (more.length > 0 || presented.length !== expected.length) return null;
  return timingSafeEqual(presented, expected) ? id : null;
}

const ID_BYTES = 16;

function sealOf(secret: string, { owner_id, password_hash }: Account, id: string): Buffer {
  const content = JSON.stringify([owner_id, password_hash, id]);
  return createHmac('sha256', derivedKey(secret, 'device of a login')).update(content).digest();
}
