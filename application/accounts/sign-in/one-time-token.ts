import { randomBytes } from 'node:crypto';
import { foldEmail, type Owner } from '../../../domain/accounts/owner.ts';
import type { LinkPurpose } from '../../../domain/accounts/sign-in/one-time-link.ts';
import { MAIL } from '../../../domain/limits.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Millis } from '../../../domain/time.ts';
import type { Stores } from '../../ports.ts';
import { sha256 } from '../../sha256.ts';
import { passwordAccount } from './password-account.ts';

/** A token of a one-time link: 256 random bits, so that its hash needs no salt. */
const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

export interface MadeLink {
  /** The token itself, for its owner alone. */
  readonly token: string;
  readonly expires_at: Date;
}

/**
 * Makes a link for the owner, in place of the earlier one of that purpose; null for an owner who is gone or suspended.
 * @throws Problem PASSWORDLESS_ACCOUNT
 */
export async function makeLink(
  { links }: Pick<Stores, 'links'>,
  owner: Owner,
  purpose: LinkPurpose,
  mailed: boolean,
): Promise<MadeLink | null> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const link = {
    token_hash: sha256(token),
    owner_id: owner.owner_id,
    purpose,
    bound_to: boundTo(owner, purpose),
    mailed,
  };
  const expires_at = await links.put(link, LIFE[purpose]);
  return expires_at && { token, expires_at };
}

const LIFE: Readonly<Record<LinkPurpose, Millis>> = { reset: MAIL.resetLife, confirm: MAIL.confirmLife };

/** The hash under which a token is stored; null for a text that is no token. */
export function hashOfToken(token: string): Uint8Array | null {
  return TOKEN.test(token) ? sha256(token) : null;
}

/** What a link is for: it is void once the owner has another password, or another address. */
export function boundTo(owner: Owner, purpose: LinkPurpose): Uint8Array {
  const { email, password_hash } = passwordAccount(owner);
  return purpose === 'reset' ? sha256('reset', password_hash) : sha256('confirm', foldEmail(email));
}

export function isBoundTo(
  link: { readonly bound_to: Uint8Array; readonly purpose: LinkPurpose },
  owner: Owner,
): boolean {
  return Buffer.from(link.bound_to).equals(boundTo(owner, link.purpose));
}

/** The refusal of a link; it does not say why. */
export function linkInvalid(): Problem {
  return new Problem('LINK_INVALID', 'This link was used, replaced by a newer one, or has expired.');
}
