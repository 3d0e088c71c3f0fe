import type { Owner } from '../../domain/accounts/owner.ts';

/** How an operator is told which owner is meant. */
export function ownerName({ owner_id, email }: Pick<Owner, 'owner_id' | 'email'>): string {
  return email === null ? owner_id : `${owner_id} (${email})`;
}
