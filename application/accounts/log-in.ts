import { Problem } from '../../domain/problem.ts';
import type { Ports } from '../ports.ts';
import { beginSession, type LoggedIn } from './begin-session.ts';

export interface Login {
  /** Compared case-folded. */
  readonly email: string;
  readonly password: string;
}

/**
 * Begins a session of a password account (interface.md 4.5, settled.md section 8). An email that nobody has costs as
 * much time as a wrong password.
 * @param presented the session id that came with the request, whatever it is worth
 * @throws Problem INVALID_CREDENTIALS, SERVICE_UNAVAILABLE when too many passwords are being checked
 */
export async function logIn(
  { owners, passwords, clock, transaction }: Pick<Ports, 'owners' | 'passwords' | 'clock' | 'transaction'>,
  { email, password }: Login,
  presented: string | undefined,
): Promise<LoggedIn> {
  const owner = await owners.findByEmail(email);
  const isRight = await passwords.verify(password, owner?.password_hash ?? null);
  if (!owner || !isRight) throw new Problem('INVALID_CREDENTIALS', 'There is no account of this email and password.');
  const created_at = await clock.now();
  return transaction(({ sessions }) => beginSession({ sessions }, owner, presented, created_at));
}
