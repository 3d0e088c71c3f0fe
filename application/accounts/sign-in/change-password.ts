import { refuseWeakPassword } from '../../../domain/accounts/password.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports } from '../../ports.ts';
import { passwordAccount, wordsOf } from './password-account.ts';
import { countAttempt, isProved } from './prove-password.ts';
import { hashOfSession } from './session-hash.ts';

export interface PasswordChange {
  readonly current_password: string;
  readonly new_password: string;
}

export type ChangePasswordPorts = Pick<Ports, 'owners' | 'logins' | 'passwords' | 'transaction'>;

/**
 * Replaces the password and ends every other session of the owner, those of logins under way included (interface.md
 * 4.3, settled.md section 8). Of concurrent changes one succeeds; the others are refused, since their current password
 * is no longer the right one.
 * @param session_id the session of the request; it continues
 * @throws Problem WEAK_PASSWORD, INVALID_CREDENTIALS, PASSWORDLESS_ACCOUNT, NOT_FOUND, RATE_LIMIT_EXCEEDED after too
 * many attempts, SERVICE_UNAVAILABLE when too many passwords are being checked
 */
export async function changePassword(
  ports: ChangePasswordPorts,
  owner_id: string,
  { current_password, new_password }: PasswordChange,
  session_id: string,
): Promise<void> {
  const owner = await ports.owners.find(owner_id);
  if (!owner) throw gone();
  const { email, password_hash } = passwordAccount(owner);
  const about = wordsOf({ email });
  refuseWeakPassword(new_password, (candidate) => ports.passwords.isGuessable(candidate, about), 'new_password');
  const attempt = await countAttempt(ports, email);
  if (!(await isProved(ports, attempt, current_password, password_hash))) throw wrongPassword();
  const changed_hash = await ports.passwords.hash(new_password);
  await ports.transaction(async ({ owners, logins, sessions }) => {
    if (!(await logins.change(owner_id, password_hash, changed_hash))) {
      throw (await owners.find(owner_id)) ? wrongPassword() : gone();
    }
    await sessions.destroyOf(owner_id, hashOfSession(session_id));
    await logins.takeBack(attempt);
  });
}

function wrongPassword(): Problem {
  return new Problem('INVALID_CREDENTIALS', 'The current password is another one.', {
    suggestion: 'Send the password that you log in with as current_password.',
  });
}

function gone(): Problem {
  return new Problem('NOT_FOUND', 'This account no longer exists.');
}
