import { randomBytes } from 'node:crypto';
import type { Owner } from '../../domain/accounts/owner.ts';
import { endOfSession, SESSION_ID_BYTES } from '../../domain/accounts/session.ts';
import { Problem } from '../../domain/problem.ts';
import type { Ports } from '../ports.ts';
import { logOut } from './log-out.ts';
import { hashOfSession } from './session-hash.ts';

export interface Login {
  /** Compared case-folded. */
  readonly email: string;
  readonly password: string;
}

export interface LoggedIn {
  readonly owner: Owner;
  /** The id itself: shown to its owner once, and kept nowhere. */
  readonly session_id: string;
  /** When the session ends at the latest; unused, it ends sooner. */
  readonly session_expires_at: Date;
}

/**
 * Begins a session of a password account (interface.md 4.5, settled.md section 8). An email that nobody has costs as
 * much time as a wrong password. The id is new at every login; the session that the browser had until now ends.
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
  const session_id = randomBytes(SESSION_ID_BYTES).toString('base64url');
  const session = { session_hash: hashOfSession(session_id), owner_id: owner.owner_id, created_at };
  await transaction(async ({ sessions }) => {
    if (presented !== undefined) await logOut({ sessions }, presented);
    await sessions.add(session);
  });
  return { owner, session_id, session_expires_at: endOfSession(session) };
}
