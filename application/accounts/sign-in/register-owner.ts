import { randomBytes } from 'node:crypto';
import type { Owner } from '../../../domain/accounts/owner.ts';
import { eventOf } from '../../../domain/accounts/security-event.ts';
import { uuidV7 } from '../../../domain/identifiers.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports } from '../../ports.ts';
import { addAgent } from '../keys/add-agent.ts';
import { counted } from './counted.ts';
import { type NewAccountSettings, newAccountLimits } from './new-account-limits.ts';
import { refuseNewPassword } from './password-account.ts';
import type { RequestClient } from './request-client.ts';

export interface Registration {
  /** Well-formed; compared case-folded, stored as sent. */
  readonly email: string;
  readonly password: string;
  /** Also registers an agent of that name. */
  readonly agent_name?: string | undefined;
}

export interface RegisteredOwner extends Owner {
  readonly email: string;
}

export type RegistrationPorts = Pick<Ports, 'transaction' | 'logins' | 'securityEvents' | 'passwords' | 'clock'> &
  NewAccountSettings;

/**
 * Opens an account that logs in by email and password (settled.md section 8).
 * @throws Problem WEAK_PASSWORD, EMAIL_TAKEN, RATE_LIMIT_EXCEEDED where the day's accounts are used up, also of the
 * network, or too many passwords of it are being hashed, SERVICE_UNAVAILABLE when too many are
 */
export async function registerOwner(
  ports: RegistrationPorts,
  registration: Registration,
  client: RequestClient,
): Promise<RegisteredOwner> {
  const { email, password } = registration;
  await refuseNewPassword(ports.passwords, password, { email });
  return counted(ports, newAccountLimits(ports.settings, client.network), () => open(ports, registration, client));
}

async function open(
  { transaction, securityEvents, passwords, clock }: RegistrationPorts,
  { email, password, agent_name }: Registration,
  { network, source }: RequestClient,
): Promise<RegisteredOwner> {
  const password_hash = await passwords.hash(password, { purpose: 'sign-up', network });
  const created_at = await clock.now();
  const owner_id = uuidV7(created_at, randomBytes(10));
  const unmarked = { suspended_at: null, email_confirmed_at: null, erases_at: null } as const;
  const terms = { role: 'owner', tier: 'free', created_at, ...unmarked } as const;
  const owner = { owner_id, email, password_hash, ...terms };
  const isAdded = await transaction(async (stores) => {
    if (!(await stores.owners.add(owner))) return false;
    if (agent_name !== undefined) await addAgent(stores, owner, agent_name, created_at);
    await stores.securityEvents.append(eventOf('registration', 'success', owner_id, source));
    return true;
  });
  if (isAdded) return owner;
  await securityEvents.append(eventOf('registration', 'failure', null, source));
  throw new Problem('EMAIL_TAKEN', 'An account with this email address already exists.');
}
