import { type ActionSource, eventOf } from '../../../domain/accounts/security-event.ts';
import { isSessionId } from '../../../domain/accounts/sign-in/session.ts';
import type { Ports, Stores } from '../../ports.ts';
import { hashOfSession } from './session-hash.ts';

/**
 * Ends the session of this id at once and for good (interface.md section 5); nothing happens when it is over already.
 */
export function logOut(
  { transaction }: Pick<Ports, 'transaction'>,
  owner_id: string,
  id: string,
  source: ActionSource,
): Promise<void> {
  return transaction(async (stores) => {
    if (await endPresented(stores, id))
      await stores.securityEvents.append(eventOf('logout', 'success', owner_id, source));
  });
}

/** Ends the session of an id that a browser sent; false when there is none. */
export async function endPresented({ sessions }: Pick<Stores, 'sessions'>, id: string): Promise<boolean> {
  return isSessionId(id) && sessions.destroy(hashOfSession(id));
}
