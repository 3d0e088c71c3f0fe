import type { Owner } from '../../../domain/accounts/owner.ts';
import { eventOf } from '../../../domain/accounts/security-event.ts';
import type { Ports, Stores } from '../../ports.ts';
import { revokeAllKeys } from '../keys/manage-keys.ts';
import { hashOfToken, isBoundTo, linkInvalid } from './one-time-token.ts';
import { passwordAccount, refuseNewPassword } from './password-account.ts';
import { hashOfAccount } from './prove-password.ts';
import type { RequestClient } from './request-client.ts';

export type LinkPorts = Pick<Ports, 'owners' | 'links' | 'transaction'>;
export type ResetPorts = LinkPorts & Pick<Ports, 'passwords'>;

export interface ResetByLink {
  readonly token: string;
  readonly new_password: string;
  /** Whether all API keys of the owner end with the old password. */
  readonly revoke_keys: boolean;
}

export interface DoneReset {
  readonly sessions_ended: number;
  readonly keys_revoked: number;
}

/**
 * Replaces the password of the account of a link, and ends all its sessions. It begins none: a login asks for all that it
 * asks for otherwise. The link works once, and not after another change of the password. One that was mailed confirms the
 * address.
 * @throws Problem LINK_INVALID, WEAK_PASSWORD, RATE_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE when too many passwords are hashed
 */
export async function resetByLink(
  ports: ResetPorts,
  { token, new_password, revoke_keys }: ResetByLink,
  { network, source }: RequestClient,
): Promise<DoneReset> {
  const token_hash = hashOfToken(token);
  const owner = await ownerOfLink(ports, token_hash, 'reset');
  const { owner_id, email, password_hash } = passwordAccount(owner);
  await refuseNewPassword(ports.passwords, new_password, { email }, 'new_password');
  const reset_hash = await ports.passwords.hash(new_password, { purpose: 'change', network });
  return ports.transaction(async (stores) => {
    const { owners, logins, sessions, securityEvents } = stores;
    const link = await redeemed(stores, token_hash, owner);
    if (!(await logins.change(owner_id, password_hash, reset_hash))) throw linkInvalid();
    const sessions_ended = await sessions.destroyOf(owner_id, null);
    await logins.forget(hashOfAccount(email));
    if (link.mailed && owner.email_confirmed_at === null) await owners.confirmEmail(owner_id);
    await securityEvents.append(eventOf('password_reset', 'success', owner_id, source));
    return { sessions_ended, keys_revoked: revoke_keys ? await revokeAllKeys(stores, owner_id, source) : 0 };
  });
}

/** The owner of a valid link. @throws Problem LINK_INVALID */
export async function ownerOfLink(
  { links, owners }: Pick<Stores, 'links' | 'owners'>,
  token_hash: Uint8Array | null,
  purpose: 'reset' | 'confirm',
): Promise<Owner> {
  const link = token_hash && (await links.find(token_hash, purpose));
  const owner = link && (await owners.find(link.owner_id));
  if (!link || !owner || !isBoundTo(link, owner)) throw linkInvalid();
  return owner;
}

async function redeemed({ links }: Pick<Stores, 'links'>, token_hash: Uint8Array | null, owner: Owner) {
  const link = token_hash && (await links.redeem(token_hash, 'reset'));
  if (link?.owner_id !== owner.owner_id) throw linkInvalid();
  return link;
}
