import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { derivedKey, derivedKeys, type SecretValues } from '../../derived-key.ts';
import type { PasswordAccount } from './password-account.ts';

/** What a token is bound to: it is void once the password is another one. */
type Account = Pick<PasswordAccount, 'owner_id' | 'password_hash'>;

/**
 * The token of a browser that has logged in to the account, for a cookie that outlives sessions. It gives the browser an
 * allowance of wrong passwords of its own, and no access. Nothing is stored; it ends with the password.
 * @param device_id of its earlier token; a new one by default
 */
export function deviceToken(secret: SecretValues, account: Account, device_id?: string | null): string {
  const id = device_id ?? randomBytes(ID_BYTES).toString('base64url');
  return `${id}.${sealOf(derivedKey(secret, PURPOSE), account, id).toString('base64url')}`;
}

/** The device of a token for this account; null for a token that is not valid for it. */
export function deviceOf(secret: SecretValues, account: Account, token: string): string | null {
  const [id = '', seal = '', ...more] = token.split('.');
  const presented = Buffer.from(seal, 'base64url');
  if (more.length > 0) return null;
  const seals = derivedKeys(secret, PURPOSE).map((key) => sealOf(key, account, id));
  const isOne = seals.some((each) => presented.length === each.length && timingSafeEqual(presented, each));
  return isOne ? id : null;
}

const ID_BYTES = 16;
const PURPOSE = 'device of a login';

function sealOf(key: KeyObject, { owner_id, password_hash }: Account, id: string): Buffer {
  const content = JSON.stringify([owner_id, password_hash, id]);
  return createHmac('sha256', key).update(content).digest();
}
