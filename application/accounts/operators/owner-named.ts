import type { Owner } from '../../../domain/accounts/owner.ts';
import { OWNER_ID } from '../../../domain/identifiers.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Stores } from '../../ports.ts';

/**
 * The owner that an operator names (settled.md section 8).
 * @param named an owner_id, or the email of a password account
 * @throws Problem NOT_FOUND
 */
export async function ownerNamed({ owners }: Pick<Stores, 'owners'>, named: string): Promise<Owner> {
  const id = named.toLowerCase();
  const owner = OWNER_ID.test(id) ? await owners.find(id) : await owners.findByEmail(named);
  if (!owner) throw noOwner(named);
  return owner;
}

/** The refusal for an owner who does not exist, or no longer. */
export function noOwner(named: string): Problem {
  return new Problem('NOT_FOUND', `There is no owner ${named}.`);
}
