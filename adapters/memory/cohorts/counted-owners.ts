import type { OwnerProof } from '../../../domain/cohorts/owner-proof.ts';
import type { IdentityTables } from '../accounts/identity-store.ts';

/** How many distinct owners made the records, of those that count as producers. */
export function producersOf(
  records: readonly { readonly owner_id: string }[],
  { identities }: Pick<IdentityTables, 'identities'>,
  ownerProof: OwnerProof,
): number {
  const owners = new Set(records.map(({ owner_id }) => owner_id));
  if (ownerProof === 'none') return owners.size;
  return new Set(identities.where(({ owner_id }) => owners.has(owner_id)).map(({ owner_id }) => owner_id)).size;
}
