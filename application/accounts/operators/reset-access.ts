import type { Owner } from '../../../domain/accounts/owner.ts';
import { operatorEvent } from '../../../domain/accounts/security-event.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports } from '../../ports.ts';
import { readableSecret } from '../factors/totp-secret.ts';
import { passwordAccount, refuseNewPassword } from '../sign-in/password-account.ts';
import { type MadeLink, makeLink } from '../sign-in/password-reset.ts';
import { hashOfAccount } from '../sign-in/prove-password.ts';
import { ownerNamed } from './list-accounts.ts';

export interface PasswordReset {
  readonly owner: Owner;
  /** The password itself: shown once, and stored nowhere. */
  readonly password: string;
  readonly sessions_ended: number;
}

export type ResetPasswordPorts = Pick<Ports, 'owners' | 'passwords' | 'transaction'>;

/**
 * Replaces the password of a password account, ends all its sessions, and forgets the login attempts that block its
 * owner (settled.md section 8). API keys continue to work. The audit log gets an entry without the password.
 * @param named an owner_id, or an email
 * @param chosen the new password; a random pass phrase when it is absent
 * @param actor who does it, for the audit log
 * @throws Problem NOT_FOUND, PASSWORDLESS_ACCOUNT, WEAK_PASSWORD, VERSION_CONFLICT when it was changed meanwhile
 */
export async function resetPassword(
  { owners, passwords, transaction }: ResetPasswordPorts,
  named: string,
  chosen: string | null,
  actor: string,
): Promise<PasswordReset> {
  const owner = passwordAccount(await ownerNamed({ owners }, named));
  const { owner_id, email, password_hash } = owner;
  const password = chosen ?? readableSecret(PHRASE_SIGNS);
  await refuseNewPassword(passwords, password, owner);
  const reset_hash = await passwords.hash(password);
  return transaction(async ({ logins, sessions, securityEvents, audit }) => {
    if (!(await logins.change(owner_id, password_hash, reset_hash))) {
      throw new Problem('VERSION_CONFLICT', 'The password was changed at the same time; try again.');
    }
    const sessions_ended = await sessions.destroyOf(owner_id, null);
    await logins.forget(hashOfAccount(email));
    await securityEvents.append(operatorEvent('password_reset', owner_id, actor));
    await audit.append({ actor, action: 'reset_password', subject: owner_id, detail: { sessions_ended } });
    return { owner, password, sessions_ended };
  });
}

/** 120 bits, in six groups of four. */
const PHRASE_SIGNS = 24;

interface OperatorsLink extends MadeLink {
  readonly owner: Owner;
}

/**
 * Makes a link that resets the password of a password account, for an operator to pass on; the password stays until it is
 * used. It replaces the owner's earlier link. The audit log gets an entry without the token.
 * @param named an owner_id, or an email
 * @param actor who does it, for the audit log
 * @throws Problem NOT_FOUND, PASSWORDLESS_ACCOUNT, ACCOUNT_SUSPENDED
 */
export async function makeResetLink(
  { owners, transaction }: Pick<Ports, 'owners' | 'transaction'>,
  named: string,
  actor: string,
): Promise<OperatorsLink> {
  const owner = passwordAccount(await ownerNamed({ owners }, named));
  const { owner_id } = owner;
  return transaction(async (stores) => {
    const made = await makeLink(stores, owner, 'reset', false);
    if (made === null) throw new Problem('ACCOUNT_SUSPENDED', 'The account is suspended: resume it first.');
    await stores.securityEvents.append(operatorEvent('password_reset_requested', owner_id, actor));
    const detail = { expires_at: made.expires_at.toISOString() };
    await stores.audit.append({ actor, action: 'make_reset_link', subject: owner_id, detail });
    return { owner, ...made };
  });
}
