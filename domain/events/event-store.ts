import type { FeedEvent } from './event.ts';

/** Whose events: those of an owner and those of everybody; with an agent, of the owner's only those of the agent. */
export interface EventScope {
  readonly owner_id: string;
  readonly agent_id?: string | undefined;
}

/** An event with its place in the feed, which only the storage reads. */
export interface PlacedEvent {
  readonly event: FeedEvent;
  readonly place: string;
}

export interface EventPage {
  readonly events: readonly PlacedEvent[];
  /** Behind all that this page has read: where the next one begins, also when there was no event. */
  readonly next: string;
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
   * first to expire first; returns how many. A key has one at most, however many processes call this.
   */
  noteExpiringKeys(limit: number): Promise<number>;

  /** Removes events that are older than `EVENTS.stored`; returns how many. */
  prune(): Promise<number>;
}
