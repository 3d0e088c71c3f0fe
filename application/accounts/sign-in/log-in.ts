import type { LoginAttempt } from '../../../domain/accounts/login-store.ts';
import type { Owner } from '../../../domain/accounts/owner.ts';
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
 * session. A hash of a former pepper or cost is replaced.
 * @throws Problem INVALID_CREDENTIALS, RATE_LIMIT_EXCEEDED after too many attempts, SERVICE_UNAVAILABLE when too many
 * passwords are being checked
 */
export async function logIn(ports: LoginPorts, { email, password }: Login, client: LoginClient): Promise<LoggedIn> {
  const attempt = await countAttempt(ports, email, client.source);
  const owner = await ports.owners.findByEmail(email);
  const begin = (current: Owner | null) => beginProved(ports, current, password, attempt, client);
  const first = await begin(owner);
  // Another login may have replaced an outdated hash of the same password.
  const begun = first === 'changed' ? await begin(await ports.owners.findByEmail(email)) : first;
  if (typeof begun === 'object') return begun;
  await ports.securityEvents.append(eventOf('login', 'failure', owner?.owner_id ?? null, client.source));
  throw new Problem('INVALID_CREDENTIALS', 'Email or password is incorrect.');
}

/** `changed`: the password is right by the hash of before, and the owner has another one now. */
async function beginProved(
  ports: LoginPorts,
  owner: Owner | null,
  password: string,
  attempt: LoginAttempt,
  { network, source, session }: LoginClient,
): Promise<LoggedIn | 'wrong' | 'changed'> {
  const password_hash = owner?.password_hash ?? null;
  const turn = { purpose: 'login', network } as const;
  const isRight = await isProved(ports, attempt, password, password_hash, turn);
  if (!owner || password_hash === null || !isRight) return 'wrong';
  const now = await ports.clock.now();
  const begun = await ports.transaction(async ({ logins, sessions, securityEvents }) => {
    if (!(await logins.confirm(owner.owner_id, password_hash))) return null;
    await logins.takeBack(attempt);
    await securityEvents.append(eventOf('login', 'success', owner.owner_id, source));
    return beginSession({ sessions }, owner, session, { now, authenticated_at: now, source });
  });
  if (begun && ports.passwords.isOutdated(password_hash)) {
    const renewed = await ports.passwords.hash(password, turn).catch(() => null);
    // A later login replaces it where there was no place in the queue now.
    if (renewed !== null) await ports.logins.change(owner.owner_id, password_hash, renewed);
  }
  return begun ?? 'changed';
}
