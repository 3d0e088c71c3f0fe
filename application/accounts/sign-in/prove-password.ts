import type { LoginAttempt } from '../../../domain/accounts/login-store.ts';
import { foldEmail } from '../../../domain/accounts/owner.ts';
import type { HashTurn } from '../../../domain/accounts/password.ts';
import { type ActionSource, eventOf } from '../../../domain/accounts/security-event.ts';
import { LOGIN } from '../../../domain/limits.ts';
import type { Ports } from '../../ports.ts';
import { sha256 } from '../../sha256.ts';
import { refusalOf } from './counted.ts';

/**
 * Counts an attempt on the account of the email, existing or not, before anything else is done: at most 10 that failed
 * or are under way per account and quarter of an hour, from all clients together.
 * @throws Problem RATE_LIMIT_EXCEEDED
 */
export async function countAttempt(
  { logins, owners, securityEvents }: Pick<Ports, 'logins' | 'owners' | 'securityEvents'>,
  email: string,
  source: ActionSource,
): Promise<LoginAttempt> {
  const attempt = await logins.count(hashOfAccount(email), LOGIN.attempts);
  if (attempt.admitted) return attempt;
  const owner = await owners.findByEmail(email);
  await securityEvents.append(eventOf('lockout', 'failure', owner?.owner_id ?? null, source));
  throw refusalOf(attempt, {
    window: LOGIN.window,
    message: 'There were too many wrong passwords for this email address.',
    suggestion: 'Wait retry_after_seconds; sessions that are open and API keys go on working.',
  });
}

/**
 * Whether the password matches the hash. An attempt without a result is taken back; the caller takes back a successful
 * one, in the transaction that it was made for.
 * @param hash null without an account: it takes as long
 * @throws Problem RATE_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE when too many passwords are being checked
 */
export async function isProved(
  ports: Pick<Ports, 'logins' | 'passwords'>,
  attempt: LoginAttempt,
  password: string,
  hash: string | null,
  turn: HashTurn,
): Promise<boolean> {
  return orTakeBack(ports, attempt, () => ports.passwords.verify(password, hash, turn));
}

/** Does work that follows an attempt; if the work fails, the attempt is taken back. */
export async function orTakeBack<T>(
  { logins }: Pick<Ports, 'logins'>,
  attempt: LoginAttempt,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (fault) {
    await logins.takeBack(attempt);
    throw fault;
  }
}

/** The key that counts attempts on the account of an email. */
export function hashOfAccount(email: string): Uint8Array {
  return sha256(foldEmail(email));
}
