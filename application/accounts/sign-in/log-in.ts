import { Problem } from '../../../domain/problem.ts';
import type { Ports } from '../../ports.ts';
import { beginSession, type LoggedIn } from './begin-session.ts';
import { countAttempt, isProved } from './prove-password.ts';

export interface Login {
  /** Compared case-folded. */
  readonly email: string;
  readonly password: string;
}

/** What the request shows of its client, not verified. */
export interface LoginClient {
  /** As addresses are counted. */
  readonly network: string;
  /** The id of its earlier session. */
  readonly session: string | undefined;
}

export type LoginPorts = Pick<Ports, 'owners' | 'logins' | 'passwords' | 'clock' | 'transaction'>;

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
  { network, session }: LoginClient,
): Promise<LoggedIn> {
  const attempt = await countAttempt(ports, email);
  const owner = await ports.owners.findByEmail(email);
  const password_hash = owner?.password_hash ?? null;
  const isRight = await isProved(ports, attempt, password, password_hash, { purpose: 'login', network });
  if (!owner || password_hash === null || !isRight) throw refusal();
  const now = await ports.clock.now();
  return ports.transaction(async ({ logins, sessions }) => {
    if (!(await logins.confirm(owner.owner_id, password_hash))) throw refusal();
    await logins.takeBack(attempt);
    return beginSession({ sessions }, owner, session, now);
  });
}

function refusal(): Problem {
  return new Problem('INVALID_CREDENTIALS', 'Email or password is incorrect.');
}
