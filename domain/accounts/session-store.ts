import type { OwnerCaller } from '../caller.ts';
import type { Session } from './session.ts';

export interface SessionStore {
  /** Adds the session of a login; it counts as used at that time. @throws Problem UNAUTHORIZED for an owner who is gone */
  add(session: Session): Promise<void>;

  /**
   * Whom the session with this hash speaks for, with the role and tier that the owner has at this moment; null when
   * there is none or it is over (`isOver`) by the database's clock. Notes the use, at most once a minute. It changes
   * sessions that are there and never makes one: what was destroyed stays so, whatever was in flight.
   */
  authenticate(session_hash: Uint8Array): Promise<OwnerCaller | null>;

  /** Ends the session for every call that starts after this one is acknowledged; false when there is none. */
  destroy(session_hash: Uint8Array): Promise<boolean>;

  /** Ends every session of the owner, but that of the hash `except`; how many. */
  destroyOf(owner_id: string, except: Uint8Array | null): Promise<number>;

  /** Removes sessions that are over; how many. */
  prune(): Promise<number>;
}
