import type { Owner } from '../../../domain/accounts/owner.ts';
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

/** The words that a guesser of the account's password tries first. */
export function wordsOf({ email }: Pick<PasswordAccount, 'email'>): readonly string[] {
  return [email, ...email.split('@')];
}
