import type { Owner } from '../../../domain/accounts/owner.ts';
import {
  breachedPassword,
  type PasswordHasher,
  refuseWeakPassword,
} from '../../../domain/accounts/sign-in/password.ts';
import { Problem } from '../../../domain/problem.ts';

export interface PasswordAccount extends Owner {
  readonly email: string;
  readonly password_hash: string;
}

/** The owner, who logs in by email and password. @throws Problem PASSWORDLESS_ACCOUNT */
export function passwordAccount(owner: Owner): PasswordAccount {
  const { email, password_hash } = owner;
  if (email !== null && password_hash !== null) return { ...owner, email, password_hash };
  throw new Problem('PASSWORDLESS_ACCOUNT', 'This account has no password: it logs in through the identity provider.');
}

/**
 * Refuses a new password of an account by the policy, and one that is known from a breach.
 * @param path names the field in the refusal
 * @throws Problem WEAK_PASSWORD
 */
export async function refuseNewPassword(
  passwords: Pick<PasswordHasher, 'isGuessable' | 'isBreached'>,
  password: string,
  account: Pick<PasswordAccount, 'email'>,
  path = 'password',
): Promise<void> {
  // Takes some milliseconds, in which the process answers no request.
  await refuseWeakPassword(password, (candidate) => passwords.isGuessable(candidate, wordsOf(account)), path);
  if (await passwords.isBreached(password)) throw breachedPassword(path);
}

/** The words that a guesser of the account's password tries first. */
function wordsOf({ email }: Pick<PasswordAccount, 'email'>): readonly string[] {
  return [email, ...email.split('@')];
}
