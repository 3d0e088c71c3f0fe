import type { CircuitState } from '../circuits/circuit.ts';
import type { Coin } from '../circuits/coin.ts';
import type { Decision } from '../decisions/decision.ts';
import type { LifecycleState, Move } from '../decisions/lifecycle.ts';
import type { ResultBucket } from '../grading/outcome.ts';
import type { DigestKind, DigestRange, EventDigest, ReadMark } from './digest.ts';

/** What events report of a decision after its receipt (docs/events.md). */
export const CHANGE_EVENTS = [
  'decision.verified',
  'decision.rejected',
  'decision.deferred',
  'decision.evaluated',
  'decision.data_unavailable',
  'decision.quarantined',
  'decision.released',
] as const;
export const DECISION_EVENTS = ['decision.submitted', ...CHANGE_EVENTS] as const;
export type DecisionEventType = (typeof DECISION_EVENTS)[number];

const OTHER_EVENTS = ['quota.credited', 'key.expiring', 'circuit.changed'] as const;

/** Events that webhooks are sent: not those of submissions, of which the sender has the receipt. */
export const SENT_EVENT_TYPES = [...CHANGE_EVENTS, ...OTHER_EVENTS] as const;
export type SentEventType = (typeof SENT_EVENT_TYPES)[number];

export const EVENT_TYPES = [...DECISION_EVENTS, ...OTHER_EVENTS] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/**
 * The event of each change of state; null where there is none. A refresh makes a decision wait again, and its next
 * verification or evaluation is an event; a claim and a postponement are steps inside an evaluation.
 */
export const EVENT_OF_MOVE: Readonly<Record<Move, DecisionEventType | null>> = {
  verify: 'decision.verified',
  reject: 'decision.rejected',
  expire: 'decision.rejected',
  refresh: null,
  claim: null,
  grade: 'decision.evaluated',
  defer: 'decision.deferred',
  give_up: 'decision.data_unavailable',
  postpone: null,
  quarantine: 'decision.quarantined',
  release: 'decision.released',
};

type Changing = Pick<Decision, 'lifecycle_state' | 'attempts'>;

/**
 * The event of a change of a stored decision, or of a new one. A deferral counts as an attempt, a postponement does not.
 */
export function eventOfChange(before: Changing | undefined, after: Changing): DecisionEventType | null {
  if (!before) return 'decision.submitted';
  const [from, to] = [before.lifecycle_state, after.lifecycle_state];
  if (from === to) return null;
  if (from === 'quarantined') return 'decision.released';
  switch (to) {
    case 'verified':
      return from === 'pending_verify' ? 'decision.verified' : null;
    case 'deferred':
      return after.attempts > before.attempts ? 'decision.deferred' : null;
    case 'pending_verify':
    case 'evaluating':
      return null;
    default:
      return `decision.${to}`;
  }
}

/** The events of the feed that are in digests. */
export const DIGEST_OF_EVENT: Readonly<Partial<Record<EventType, DigestKind>>> = {
  'decision.evaluated': 'graded',
  'decision.rejected': 'rejected',
  'decision.data_unavailable': 'unscorable',
  'decision.quarantined': 'quarantined',
  'decision.released': 'released',
  'key.expiring': 'key_expiring',
};

/** Ids, states and times: nothing that its owner cannot read elsewhere. */
export type EventData =
  | {
      readonly type: DecisionEventType;
      readonly data: {
        readonly record_id: string;
        readonly agent_id: string;
        /** After the change; of a submission that of its receipt. */
        readonly lifecycle_state: LifecycleState;
        /** Of an evaluated decision; else null. */
        readonly result_bucket: ResultBucket | null;
      };
    }
  | {
      readonly type: 'quota.credited';
      readonly data: {
        readonly record_id: string;
        readonly agent_id: string;
        /** Units of the query pool. */
        readonly amount: number;
        /** The UTC day of the pool, as `2026-03-02`. */
        readonly day: string;
      };
    }
  | {
      /** Of owners alone: no agent reads it. */
      readonly type: 'key.expiring';
      readonly data: {
        readonly key_prefix: string;
        /** As `rfc3339` writes it. */
        readonly expires_at: string;
      };
    }
  | {
      readonly type: 'circuit.changed';
      readonly data: { readonly coin: Coin; readonly from: CircuitState; readonly to: CircuitState };
    };

export type FeedEvent = EventData & {
  /** A UUID, the same wherever the event is read. */
  readonly id: string;
  /** When it was written, in the transaction of what it reports. */
  readonly at: Date;
};

/** Whose events: those of an owner and those of everybody; with an agent, of the owner's only those of the agent. */
export interface EventScope {
  readonly owner_id: string;
  readonly agent_id?: string | undefined;
  /** Whether submissions are events for the reader. An agent has the receipts of its own. */
  readonly hasSubmissions?: boolean | undefined;
}

/**
 * An event with its place in the feed: the name of a history of the storage, then whole numbers, of which the first two
 * order places (`isBeyond`); others help the storage to read on.
 */
export interface PlacedEvent {
  readonly event: FeedEvent;
  readonly place: string;
}

/** An event with those whom it concerns: without an owner everybody, without an agent its owner alone. */
export interface AddressedEvent extends PlacedEvent {
  readonly owner_id: string | null;
  readonly agent_id: string | null;
}

export interface EventNews {
  readonly events: readonly AddressedEvent[];
  /** As that of a page. */
  readonly next: string;
}

/** The numbers of a place that order it. */
const ORDERING = 2;

/** Whether a place comes after another one. Of two histories each comes after the other. */
export function isBeyond(place: string, other: string): boolean {
  const [[history, ...numbers], [otherHistory, ...otherNumbers]] = [place.split(' '), other.split(' ')];
  if (history !== otherHistory) return true;
  for (const [index, number] of numbers.slice(0, ORDERING).entries()) {
    const otherNumber = otherNumbers[index] ?? '0';
    if (number !== otherNumber) return BigInt(number) > BigInt(otherNumber);
  }
  return false;
}

export interface EventPage {
  readonly events: readonly PlacedEvent[];
  /** Behind all that this page has read: where the next one begins, also when there was no event. */
  readonly next: string;
}

/** A key whose event `key.expiring` was written. */
export interface ExpiringKey {
  readonly owner_id: string;
  readonly key_prefix: string;
}

/**
 * What happened, written by the storage itself in the transaction of each change, so that nothing is left out. The event
 * of a submission is the record itself: nothing else is written for it. Events are
 * in one order, which is that of the changes for each decision and each circuit. An event is read once no transaction
 * that is under way can write one before it, so no place is passed by an event that commits late.
 */
export interface EventStore {
  /**
   * Up to `limit` events after a place, the oldest first.
   * @param after null, and a place in a history of the database that a restore or a recovery left: from the oldest event
   */
  page(scope: EventScope, after: string | null, limit: number): Promise<EventPage>;

  /** The place behind all that is complete now: reading from there shows what happens from now on. */
  end(): Promise<string>;

  /**
   * Writes `key.expiring` for keys that expire soon (`isExpiringSoon`), are not revoked and had none, up to `limit`, the
   * first to expire first; returns these keys. A key has one at most, however many processes call this.
   */
  noteExpiringKeys(limit: number): Promise<readonly ExpiringKey[]>;

  /**
   * Up to `limit` events after a place that concern any of the owners or everybody, the oldest first. null for a place in
   * another history of the database.
   * @param submitters those of the owners whose submissions are read, too
   */
  news(
    owner_ids: readonly string[],
    after: string,
    limit: number,
    submitters?: readonly string[],
  ): Promise<EventNews | null>;

  /**
   * The owner's events of `DIGEST_OF_EVENT`, counted by day and kind, those of everybody not.
   * @param mark up to where they were read; null, or of another history of the database: none was
   */
  digest(owner_id: string, mark: ReadMark | null, range: DigestRange): Promise<EventDigest>;

  /** Up to where the owner has read what happened; null before the first time, and when the owner is gone. */
  readMark(owner_id: string): Promise<ReadMark | null>;

  /** Sets it unless a later one is stored. */
  setReadMark(owner_id: string, mark: ReadMark): Promise<void>;

  /** Removes events that are older than `EVENTS.stored`; returns how many. */
  prune(): Promise<number>;
}
