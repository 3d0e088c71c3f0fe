import type { Session } from './session.ts';

/** The sessions of owners. `AdmissionDesk` resolves a session to its caller (quotas/admission.ts). */
export interface SessionStore {
  /** Adds the session of a login; it counts as used at that time. @throws Problem UNAUTHORIZED for an owner who is gone */
  add(session: Session): Promise<void>;

  /** Ends the session for every call that starts after this one is acknowledged; false when there is none. */
  destroy(session_hash: Uint8Array): Promise<boolean>;

  /** Ends every session of the owner except that of the hash `except`; returns how many. */
  destroyOf(owner_id: string, except: Uint8Array | null): Promise<number>;

  /** Removes sessions that are over; returns how many. */
  prune(): Promise<number>;
}
