import { eventOf } from '../../../domain/accounts/security-event.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports } from '../../ports.ts';
import { beginSession, type LoggedIn } from './begin-session.ts';
import { countAttempt, isProved } from './prove-password.ts';
import type { RequestClient } from './request-client.ts';

export interface Login {
  /** Compared case-folded. */
  readonly email: string;
  readonly password: string;
}

/** What the request shows of its client, not verified. */
export interface LoginClient extends RequestClient {
  /** The id of its earlier session. */
  readonly session: string | undefined;
}

export type LoginPorts = Pick<Ports, 'owners' | 'logins' | 'passwords' | 'securityEvents' | 'clock' | 'transaction'>;

/**
 * Begins a session of a password account (interface.md 4.5, settled.md section 8). An unknown email is treated like a
 * known one, to the number of statements and hashes. A password that was changed while it was being checked begins no
 * session.
 * @throws Problem INVALID_CREDENTIALS, RATE_LIMIT_EXCEEDED after too many attempts, SERVICE_UNAVAILABLE when too many
 * passwords are being checked
 */
export async function logIn(
  ports: LoginPorts,
  { email, password }: Login,
  { network, source, session }: LoginClient,
): Promise<LoggedIn> {
  const attempt = await countAttempt(ports, email, source);
  const owner = await ports.owners.findByEmail(email);
  const password_hash = owner?.password_hash ?? null;
  const isRight = await isProved(ports, attempt, password, password_hash, { purpose: 'login', network });
  if (owner && password_hash !== null && isRight) {
    const now = await ports.clock.now();
    const begun = await ports.transaction(async ({ logins, sessions, securityEvents }) => {
      if (!(await logins.confirm(owner.owner_id, password_hash))) return null;
      await logins.takeBack(attempt);
      await securityEvents.append(eventOf('login', 'success', owner.owner_id, source));
      return beginSession({ sessions }, owner, session, { now, authenticated_at: now, source });
    });
    if (begun) return begun;
  }
  await ports.securityEvents.append(eventOf('login', 'failure', owner?.owner_id ?? null, source));
  throw new Problem('INVALID_CREDENTIALS', 'Email or password is incorrect.');
}
