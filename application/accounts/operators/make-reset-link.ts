import type { Owner } from '../../../domain/accounts/owner.ts';
import { operatorEvent } from '../../../domain/accounts/security-event.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports } from '../../ports.ts';
import { type MadeLink, makeLink } from '../sign-in/one-time-token.ts';
import { passwordAccount } from '../sign-in/password-account.ts';
import { ownerNamed } from './owner-named.ts';

export interface OperatorsLink extends MadeLink {
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
