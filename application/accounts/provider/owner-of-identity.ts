import { randomBytes } from 'node:crypto';
import { ownerGone } from '../../../domain/accounts/active-owner.ts';
import type { Owner } from '../../../domain/accounts/owner.ts';
import type { Identity } from '../../../domain/accounts/provider/identity.ts';
import { type ActionSource, eventOf } from '../../../domain/accounts/security-event.ts';
import { uuidV7 } from '../../../domain/identifiers.ts';
import type { Ports } from '../../ports.ts';
import { counted } from '../sign-in/counted.ts';
import { type NewAccountSettings, newAccountLimits } from '../sign-in/new-account-limits.ts';
import type { RequestClient } from '../sign-in/request-client.ts';

export type IdentityPorts = Pick<Ports, 'identities' | 'logins' | 'transaction' | 'clock'> & NewAccountSettings;

/**
 * The owner of a proved identity, created at its first use (settled.md section 8). Of concurrent calls one creates the
 * owner, and all return the same one.
 * @throws Problem UNAUTHORIZED when that owner is removed meanwhile, RATE_LIMIT_EXCEEDED where the day's new accounts
 * are used up, also of the network
 */
export async function ownerOfIdentity(
  ports: IdentityPorts,
  identity: Identity,
  { network, source }: RequestClient,
): Promise<Owner> {
  const { identities, settings } = ports;
  const known = await identities.find(identity);
  if (known) return known;
  try {
    return await counted(ports, newAccountLimits(settings, network), () => open(ports, identity, source));
  } catch (fault) {
    if (fault !== TWIN) throw fault;
  }
  const twin = await identities.find(identity);
  if (!twin) throw ownerGone();
  return twin;
}

/** Another call opened the account meanwhile, so this one is not counted. */
const TWIN = new Error('The identity has an owner.');

async function open({ transaction, clock }: IdentityPorts, identity: Identity, source: ActionSource): Promise<Owner> {
  const created_at = await clock.now();
  const owner_id = uuidV7(created_at, randomBytes(10));
  const unmarked = { suspended_at: null, email_confirmed_at: null, erases_at: null } as const;
  const terms = { role: 'owner', tier: 'free', created_at, ...unmarked } as const;
  const owner = { owner_id, email: null, password_hash: null, ...terms };
  await transaction(async ({ identities, securityEvents }) => {
    if (!(await identities.addOwner(identity, owner))) throw TWIN;
    await securityEvents.append(eventOf('identity_linked', 'success', owner_id, source));
  });
  return owner;
}
