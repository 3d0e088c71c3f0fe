import type { Owner } from '../../../domain/accounts/owner.ts';
import { type AccountData, REMOVED_TABLES } from '../../../domain/accounts/owner-data.ts';
import type { Ports } from '../../ports.ts';
import { eraseWritten, noteRemoved } from '../erasure/erase-owner.ts';
import { hashOfAccount } from '../sign-in/prove-password.ts';
import { noOwner, ownerNamed } from './list-accounts.ts';

export interface OwnerDeletion {
  /** As they were. */
  readonly owner: Owner;
  /** How many rows of each kind are removed with the owner; kinds that stay are left out. */
  readonly removed: Readonly<Record<string, number>>;
  /** How many decision records stay. */
  readonly records: number;
}

export interface ErasedOwner extends OwnerDeletion {
  /** In how many of the records the text was erased. */
  readonly erased: number;
  /** False: some were being evaluated, and the service erases their text within a minute. */
  readonly isOver: boolean;
}

/**
 * Removes a person at once: when this is acknowledged, credentials in flight are invalid, and no request under way can add
 * anything (settled.md section 8). What the person wrote in records and elsewhere is erased before this returns, or by the
 * service; the evidence stays. The audit log gets an entry without the email, since its entries are never removed.
 * @param named an owner_id, or the email of a password account
 * @param actor who does it, for the audit log
 * @throws Problem NOT_FOUND
 */
export async function deleteOwner(
  ports: Pick<Ports, 'transaction'>,
  named: string,
  actor: string,
): Promise<ErasedOwner> {
  const deletion = await ports.transaction(async ({ owners, ownerAdministration, logins, securityEvents, audit }) => {
    const owner = await ownerNamed({ owners }, named);
    const { owner_id, email } = owner;
    const data = await ownerAdministration.remove(owner_id);
    if (!data) throw noOwner(named);
    if (email !== null) await logins.forget(hashOfAccount(email));
    const removal = deletionOf(owner, data);
    const { removed, records } = removal;
    await noteRemoved({ securityEvents, audit }, owner_id, actor, { removed, records });
    return removal;
  });
  const { state, written } = await eraseWritten(ports, deletion.owner.owner_id, actor);
  return { ...deletion, erased: written, isOver: state === 'ended' };
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
  const removed = Object.fromEntries(REMOVED_TABLES.map((name) => [name, rows[name]?.length ?? 0]));
  return { owner, removed, records };
}
