import type { Owner } from '../../../domain/accounts/owner.ts';
import type { AccountData } from '../../../domain/accounts/owner-data.ts';
import { operatorEvent } from '../../../domain/accounts/security-event.ts';
import type { Ports } from '../../ports.ts';
import { hashOfAccount } from '../sign-in/prove-password.ts';
import { noOwner, ownerNamed } from './owner-named.ts';

export interface OwnerDeletion {
  /** As they were. */
  readonly owner: Owner;
  /** How many rows of each kind are removed with the owner; kinds that stay are left out. */
  readonly removed: Readonly<Record<string, number>>;
  /** How many decision records stay. */
  readonly records: number;
}

/** The tables that are removed with their owner, by their name in `AccountData`. */
const REMOVED = ['identities', 'agents', 'api_keys', 'sessions', 'legal_acceptances', 'workflows'] as const;

/**
 * Removes a person and leaves the evidence, unlinked (settled.md section 8): once this is acknowledged, credentials in
 * flight are invalid, and no request under way can add anything. The audit log gets an entry without the email, since
 * its entries are never removed.
 * @param named an owner_id, or the email of a password account
 * @param actor who does it, for the audit log
 * @throws Problem NOT_FOUND
 */
export async function deleteOwner(
  { transaction }: Pick<Ports, 'transaction'>,
  named: string,
  actor: string,
): Promise<OwnerDeletion> {
  return transaction(async ({ owners, ownerAdministration, logins, securityEvents, audit }) => {
    const owner = await ownerNamed({ owners }, named);
    const { owner_id, email } = owner;
    const data = await ownerAdministration.remove(owner_id);
    if (!data) throw noOwner(named);
    if (email !== null) await logins.forget(hashOfAccount(email));
    const deletion = deletionOf(owner, data);
    const { removed, records } = deletion;
    await securityEvents.append(operatorEvent('account_deleted', owner_id, actor));
    await audit.append({ actor, action: 'delete_owner', subject: owner_id, detail: { removed, records } });
    return deletion;
  });
}

/** What a deletion would do at this moment. @throws Problem NOT_FOUND */
export async function planDeletion(
  { owners, ownerData }: Pick<Ports, 'owners' | 'ownerData'>,
  named: string,
): Promise<OwnerDeletion> {
  const owner = await ownerNamed({ owners }, named);
  const data = await ownerData.account(owner.owner_id);
  if (!data) throw noOwner(named);
  return deletionOf(owner, data);
}

function deletionOf(owner: Owner, { rows, records }: AccountData): OwnerDeletion {
  const removed = Object.fromEntries(REMOVED.map((name) => [name, rows[name]?.length ?? 0]));
  return { owner, removed, records };
}
