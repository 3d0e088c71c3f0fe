import type { Millis } from '../../time.ts';
import type { Session, UsedSession } from './session.ts';

/** The sessions of owners. `AdmissionDesk` resolves a session to its caller (quotas/admission.ts). */
export interface SessionStore {
  /**
   * Adds the session of a login; it counts as used at that time. Of an owner with `SESSION.perOwner` sessions, the one
   * that was unused for longest ends.
   * @throws Problem UNAUTHORIZED for an owner who is gone, ACCOUNT_SUSPENDED
   */
  add(session: Session): Promise<void>;

  /** The owner's sessions, those that are over included, the last used first. */
  list(owner_id: string): Promise<readonly UsedSession[]>;

  /** The session of that hash, also one that is over; null when there is none. */
  find(session_hash: Uint8Array): Promise<UsedSession | null>;

  /** Ends the session for every call that starts after this one is acknowledged; false when there is none. */
  destroy(session_hash: Uint8Array): Promise<boolean>;

  /** Ends every session of the owner except that of the hash `except`; returns how many. */
  destroyOf(owner_id: string, except: Uint8Array | null): Promise<number>;

  /**
   * Whether the owner of the session proved to be the owner less than `within` ago, by the database's clock. If so, the
   * session stays until the transaction ends: a call that ends it waits, and a confirmation after that returns false.
   */
  confirmRecent(session_hash: Uint8Array, within: Millis): Promise<boolean>;

  /**
   * Ends the sessions of the owner, of the session at the identity provider, or of both where both are given, that began
   * up to `until`; returns their owners, one for each session.
   */
  destroyByProvider(of: ProviderSessions, until: Date): Promise<readonly string[]>;

  /** Removes sessions that are over; returns how many. */
  prune(): Promise<number>;
}

/** At least one of the two is given. */
export interface ProviderSessions {
  readonly owner_id: string | null;
  readonly provider_session: string | null;
}
