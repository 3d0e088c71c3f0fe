import type { Millis } from '../time.ts';
import type { EventResult, SecurityEvent, SecurityEventKind, StoredSecurityEvent } from './security-event.ts';

/** An event has to match every member that is there. */
export interface SecurityEventFilter {
  readonly owner_id?: string | undefined;
  readonly kind?: SecurityEventKind | undefined;
  readonly result?: EventResult | undefined;
  /** Begun then or later. */
  readonly since?: Date | undefined;
}

/** What else is known where an event is stored; stored with it is nothing of it. */
export interface EventContext {
  /** Whether the browser proved by its cookie that its owner has logged in with it before. */
  readonly isKnownBrowser?: boolean;
}

export type EventPlace = Pick<StoredSecurityEvent, 'at' | 'seq'>;

/** The security events of accounts. No row is changed or removed, except as described here. */
export interface SecurityEventStore {
  /**
   * Stores an event of this moment; inside the transaction of the action that it reports, if there is one, and before its
   * entry of the audit log. Events of a
   * minute that are equal but for the request are one row, which counts them. Of the events of an owner and result, the
   * first `SECURITY_EVENTS.ofOwner` rows of a UTC day are stored as they are (`ofUnknown` without an owner; each
   * transaction at the same moment may add one more); further ones are counted in a row for the day and kind, without
   * their source, actor and subject. So a flood of requests fills no disk, and hides no event of the other result.
   */
  append(event: SecurityEvent, context?: EventContext): Promise<void>;

  /** Up to `limit` rows that match the filter and begun before `after`, the newest first. */
  list(filter: SecurityEventFilter, after: EventPlace | null, limit: number): Promise<readonly StoredSecurityEvent[]>;

  /**
   * Whether the owner logged in by password from that network in the last `LOGIN.known`, with the password of today:
   * since the password was changed, by that change or by a login after it.
   */
  hasLoggedIn(owner_id: string, network: string | null): Promise<boolean>;

  /** Whether the owner opened the account, signed in or proved the password from that network in the last `LOGIN.known`. */
  isFamiliar(owner_id: string, network: string | null): Promise<boolean>;

  /**
   * Removes rows whose last event is at least that long ago; returns how many.
   * @param keep at least `SECURITY_EVENTS.leastKept`: younger rows stay, for every role of the database
   */
  prune(keep: Millis): Promise<number>;
}
