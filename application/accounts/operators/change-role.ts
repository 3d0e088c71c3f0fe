import type { Owner } from '../../../domain/accounts/owner.ts';
import { operatorEvent } from '../../../domain/accounts/security-event.ts';
import type { Role } from '../../../domain/caller.ts';
import type { Ports } from '../../ports.ts';
import { ownerNamed } from './owner-named.ts';

export interface RoleChange {
  /** As it was before. */
  readonly owner: Owner;
  /** False: the owner had the role already. */
  readonly changed: boolean;
  /** Of the owner: after a rise, the owner logs in again and gets a new session id. */
  readonly sessions_ended: number;
}

/**
 * Gives an owner a role; every request that starts after this is judged by it (settled.md section 8). A rise to admin ends
 * the owner's sessions. The audit log gets an entry without the email, since its entries are never removed.
 * @param named an owner_id, or the email of a password account
 * @param actor who does it, for the audit log
 * @throws Problem NOT_FOUND
 */
export async function changeRole(
  { transaction }: Pick<Ports, 'transaction'>,
  named: string,
  role: Role,
  actor: string,
): Promise<RoleChange> {
  return transaction(async ({ owners, ownerAdministration, sessions, securityEvents, audit }) => {
    const owner = await ownerNamed({ owners }, named);
    const changed = await ownerAdministration.setRole(owner.owner_id, role);
    const sessions_ended = changed && role === 'admin' ? await sessions.destroyOf(owner.owner_id, null) : 0;
    if (changed)
      await securityEvents.append({ ...operatorEvent('role_changed', owner.owner_id, actor), subject: role });
    const action = role === 'admin' ? 'grant_admin' : 'revoke_admin';
    await audit.append({ actor, action, subject: owner.owner_id, detail: { changed } });
    return { owner, changed, sessions_ended };
  });
}
