import { isSessionId } from '../../../domain/accounts/session.ts';
import type { Stores } from '../../ports.ts';
import { hashOfSession } from './session-hash.ts';

/**
 * Ends the session of this id at once and for good (interface.md section 5); nothing happens when it is over already.
 */
export async function logOut({ sessions }: Pick<Stores, 'sessions'>, id: string): Promise<void> {
  if (isSessionId(id)) await sessions.destroy(hashOfSession(id));
}
