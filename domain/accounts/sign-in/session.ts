import { SESSION } from '../../limits.ts';
import type { Millis } from '../../time.ts';
import type { SessionFactor } from '../factors/factor.ts';
import type { ClientKind } from '../security-event.ts';

/** A login of an owner as stored (settled.md section 8). */
export interface Session {
  /** SHA-256 of the id; the id itself is only in the owner's cookie. */
  readonly session_hash: Uint8Array;
  readonly owner_id: string;
  readonly created_at: Date;
  /** When the owner last proved to be the owner; null where the identity provider does not say. */
  readonly authenticated_at: Date | null;
  /** Where the login came from, as in security events; null for sessions of earlier releases. */
  readonly network: string | null;
  readonly client: ClientKind | null;
  /** The name of the session at the identity provider (`sid`); null where there is none, or the provider names none. */
  readonly provider_session: string | null;
  /** What it was opened with besides a password; null where nothing was. */
  readonly factor: SessionFactor | null;
}

/** A session with its last noted request: before the first one, the login itself. */
export interface UsedSession extends Session {
  readonly last_seen_at: Date;
}

/** Bytes of a session's id: 256 bits, so that it cannot be guessed. */
export const SESSION_ID_BYTES = 32;

/** Whether the text can be a session's id: those bytes in base64url. */
export function isSessionId(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/**
 * What names a session in lists: 96 bits of the SHA-256 of its id, in hex. They give no access, because the id has 256
 * random bits.
 */
export function sessionName({ session_hash }: Pick<Session, 'session_hash'>): string {
  return Array.from(session_hash.subarray(0, 12), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** When a session ends at the latest, however much it is used: 7 days after the login. */
export function endOfSession({ created_at }: Pick<Session, 'created_at'>): Date {
  return new Date(created_at.getTime() + SESSION.absolute);
}

/** Whether it has ended by itself: 12 hours after its last noted request, or 7 days after the login. */
export function isOver(session: UsedSession, now: Date): boolean {
  const idleSince = session.last_seen_at.getTime();
  return now.getTime() >= idleSince + SESSION.idle || now >= endOfSession(session);
}

/** Whether a request has to be noted: once a minute is enough, so that requests by session stay reads. */
export function isToBeNoted({ last_seen_at }: UsedSession, now: Date): boolean {
  return now.getTime() >= last_seen_at.getTime() + SESSION.noteEvery;
}

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
