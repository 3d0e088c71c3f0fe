import type { OwnerProof } from '../../../domain/cohorts/owner-proof.ts';
import type { IdentityTables } from '../accounts/identity-store.ts';
import type { OwnerTables } from '../accounts/owner-store.ts';

/** The tables by which owners are verified. */
export type VerifyingTables = Pick<IdentityTables, 'identities'> & Pick<OwnerTables, 'owners'>;

/** How many distinct owners made the records, of those that count as producers. */
export function producersOf(
  records: readonly { readonly owner_id: string }[],
  { identities, owners: accounts }: VerifyingTables,
  ownerProof: OwnerProof,
): number {
  const owners = new Set(records.map(({ owner_id }) => owner_id));
  if (ownerProof === 'none') return owners.size;
  const identified = identities.where(({ owner_id }) => owners.has(owner_id));
  const confirmed = accounts.where(
    ({ owner_id, email_confirmed_at }) => owners.has(owner_id) && email_confirmed_at !== null,
  );
  return new Set([...identified, ...confirmed].map(({ owner_id }) => owner_id)).size;
}
