import { randomBytes } from 'node:crypto';
import type { Identity } from '../../../domain/accounts/identity.ts';
import type { Owner } from '../../../domain/accounts/owner.ts';
import { ownerGone } from '../../../domain/accounts/owner-gone.ts';
import { type ActionSource, eventOf } from '../../../domain/accounts/security-event.ts';
import { uuidV7 } from '../../../domain/identifiers.ts';
import type { Ports } from '../../ports.ts';

/**
 * The owner of a proved identity, created at its first use (settled.md section 8). Of concurrent calls one creates the
 * owner, and all return the same one.
 * @throws Problem UNAUTHORIZED when that owner is removed meanwhile
 */
export async function ownerOfIdentity(
  { identities, transaction, clock }: Pick<Ports, 'identities' | 'transaction' | 'clock'>,
  identity: Identity,
  source: ActionSource,
): Promise<Owner> {
  const known = await identities.find(identity);
  if (known) return known;
  const created_at = await clock.now();
  const owner_id = uuidV7(created_at, randomBytes(10));
  const owner = { owner_id, email: null, password_hash: null, role: 'owner', tier: 'free', created_at } as const;
  const isAdded = await transaction(async (stores) => {
    if (!(await stores.identities.addOwner(identity, owner))) return false;
    await stores.securityEvents.append(eventOf('identity_linked', 'success', owner_id, source));
    return true;
  });
  if (isAdded) return owner;
  const twin = await identities.find(identity);
  if (!twin) throw ownerGone();
  return twin;
}
