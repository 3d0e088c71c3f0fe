import { ownerGone } from '../../../domain/accounts/active-owner.ts';
import { eventOf } from '../../../domain/accounts/security-event.ts';
import { Problem } from '../../../domain/problem.ts';
import { type LoggedIn, replaceSession } from './begin-session.ts';
import type { SessionClient } from './change-password.ts';
import type { LoginPorts } from './log-in.ts';
import { passwordAccount } from './password-account.ts';
import { countAttempt, isProved } from './prove-password.ts';

/**
 * Proves the password again, and replaces the session of the request by a new one, as a login does. A wrong password
 * counts as a failed login.
 * @throws Problem INVALID_CREDENTIALS, PASSWORDLESS_ACCOUNT, UNAUTHORIZED for a session that ended meanwhile,
 * RATE_LIMIT_EXCEEDED after too many attempts, SERVICE_UNAVAILABLE when too many passwords are being checked
 */
export async function reauthenticate(
  ports: LoginPorts,
  owner_id: string,
  password: string,
  client: SessionClient,
): Promise<LoggedIn> {
  const { network, source, session } = client;
  const owner = await ports.owners.find(owner_id);
  if (!owner) throw ownerGone();
  const { email, password_hash } = passwordAccount(owner);
  const attempt = await countAttempt(ports, email, owner, client);
  // After the logins in the queue, so that a flood of these delays no login.
  const turn = { purpose: 'change', network, owner_id } as const;
  if (await isProved(ports, attempt, password, password_hash, turn)) {
    const now = await ports.clock.now();
    const begun = await ports.transaction(async (stores) => {
      if (!(await stores.logins.confirm(owner_id, password_hash))) return null;
      await stores.logins.takeBack(attempt);
      await stores.securityEvents.append(eventOf('reauthentication', 'success', owner_id, source));
      return replaceSession(stores, owner, session, now, source);
    });
    if (begun) return begun;
  }
  await ports.securityEvents.append(eventOf('reauthentication', 'failure', owner_id, source));
  throw new Problem('INVALID_CREDENTIALS', 'The password is incorrect.', {
    suggestion: 'Send the password that you log in with.',
  });
}
