import { randomBytes } from 'node:crypto';
import type { Owner } from '../../../domain/accounts/owner.ts';
import { refuseWeakPassword } from '../../../domain/accounts/password.ts';
import { uuidV7 } from '../../../domain/identifiers.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports } from '../../ports.ts';
import { addAgent } from '../keys/add-agent.ts';
import { wordsOf } from './password-account.ts';

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

/**
 * Opens an account that logs in by email and password (settled.md section 8).
 * @param network of the client, as addresses are counted
 * @throws Problem WEAK_PASSWORD, EMAIL_TAKEN, RATE_LIMIT_EXCEEDED and SERVICE_UNAVAILABLE when too many passwords are
 * being hashed
 */
export async function registerOwner(
  { transaction, passwords, clock }: Pick<Ports, 'transaction' | 'passwords' | 'clock'>,
  { email, password, agent_name }: Registration,
  network: string,
): Promise<RegisteredOwner> {
  refuseWeakPassword(password, (candidate) => passwords.isGuessable(candidate, wordsOf({ email })));
  const password_hash = await passwords.hash(password, { purpose: 'sign-up', network });
  const created_at = await clock.now();
  const owner_id = uuidV7(created_at, randomBytes(10));
  const owner = { owner_id, email, password_hash, role: 'owner', tier: 'free', created_at } as const;
  await transaction(async ({ owners }) => {
    if (!(await owners.add(owner))) {
      throw new Problem('EMAIL_TAKEN', 'An account with this email address already exists.');
    }
    if (agent_name !== undefined) await addAgent({ owners }, owner, agent_name, created_at);
  });
  return owner;
}
