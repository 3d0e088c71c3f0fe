import type { Owner } from '../../../domain/accounts/owner.ts';

/** How output for operators names an owner. */
export function ownerName({ owner_id, email }: Pick<Owner, 'owner_id' | 'email'>): string {
  return email === null ? owner_id : `${owner_id} (${email})`;
}
