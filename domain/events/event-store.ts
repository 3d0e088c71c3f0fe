import type { FeedEvent } from './event.ts';

/** Whose events: those of an owner and those of everybody; with an agent, of the owner's only those of the agent. */
export interface EventScope {
  readonly owner_id: string;
  readonly agent_id?: string | undefined;
}

/**
 * An event with its place in the feed: the name of a history of the storage, then whole numbers, of which the first
 * different ones order two places (`isBeyond`).
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

/** Whether a place comes after another one. Of two histories each comes after the other. */
export function isBeyond(place: string, other: string): boolean {
  const [[history, ...numbers], [otherHistory, ...otherNumbers]] = [place.split(' '), other.split(' ')];
  if (history !== otherHistory) return true;
  for (const [index, number] of numbers.entries()) {
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
 * What happened, written by the storage itself in the transaction of each change, so that nothing is left out. Events are
 * in one order, which is that of the changes for each decision and each circuit. An event is read once no transaction
 * that is under way can write one before it, so no place is passed by an event that commits late.
 */
export interface EventStore {
  /**
   * Up to `limit` events after a place, the oldest first.
   * @param after null, and a place in a history of the database that a restore or a recovery left: from the oldest event
   */
  page(scope: EventScope, after: string | null, limit: number): Promise<EventPage>;

  /**
   * Writes `key.expiring` for keys that expire soon (`isExpiringSoon`), are not revoked and had none, up to `limit`, the
   * first to expire first; returns these keys. A key has one at most, however many processes call this.
   */
  noteExpiringKeys(limit: number): Promise<readonly ExpiringKey[]>;

  /**
   * Up to `limit` events after a place that concern any of the owners or everybody, the oldest first. null for a place in
   * another history of the database.
   */
  news(owner_ids: readonly string[], after: string, limit: number): Promise<EventNews | null>;

  /** Removes events that are older than `EVENTS.stored`; returns how many. */
  prune(): Promise<number>;
}
