import type { LoginAttempt } from '../../../domain/accounts/login-store.ts';
import { endOfLoginWindow } from '../../../domain/accounts/login-window.ts';
import { foldEmail } from '../../../domain/accounts/owner.ts';
import { LOGIN } from '../../../domain/limits.ts';
import { Problem } from '../../../domain/problem.ts';
import { SECOND } from '../../../domain/time.ts';
import type { Ports } from '../../ports.ts';
import { sha256 } from '../../sha256.ts';

/**
 * Counts an attempt on the account of the email, whether there is one or not, before anything else is done about it:
 * at most 10 that failed or are under way per account and quarter of an hour, whoever makes them.
 * @throws Problem RATE_LIMIT_EXCEEDED
 */
export async function countAttempt({ logins }: Pick<Ports, 'logins'>, email: string): Promise<LoginAttempt> {
  const attempt = await logins.count(hashOfAccount(email), LOGIN.attempts);
  if (attempt.admitted) return attempt;
  const left = endOfLoginWindow(attempt.window_start).getTime() - attempt.at.getTime();
  throw new Problem('RATE_LIMIT_EXCEEDED', 'There were too many wrong passwords for this email address.', {
    suggestion: 'Wait retry_after_seconds; sessions that are open and API keys go on working.',
    retry_after_seconds: left / SECOND,
  });
}

/**
 * Whether the password is that of the hash. An attempt of which that was not found out is taken back; one that
 * succeeded is the caller's to take back, in the transaction of what it was made for.
 * @param hash null where there is nobody: it takes as long
 * @throws Problem SERVICE_UNAVAILABLE when too many passwords are being checked
 */
export async function isProved(
  { logins, passwords }: Pick<Ports, 'logins' | 'passwords'>,
  attempt: LoginAttempt,
  password: string,
  hash: string | null,
): Promise<boolean> {
  try {
    return await passwords.verify(password, hash);
  } catch (fault) {
    await logins.takeBack(attempt);
    throw fault;
  }
}

/** What attempts on the account of an email are counted under. */
export function hashOfAccount(email: string): Uint8Array {
  return sha256(foldEmail(email));
}
