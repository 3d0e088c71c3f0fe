import type { FeedEvent } from '../../domain/events/event.ts';
import type { EventScope } from '../../domain/events/event-store.ts';
import { PAGE } from '../../domain/limits.ts';
import type { Ports } from '../ports.ts';
import { eventCursors, type SentCursor } from './event-cursor.ts';

export interface EventQuery {
  /** The `next_cursor` of an earlier page of the same feed; null: from the oldest event. */
  readonly after: SentCursor | null;
  /** 1-100, 20 by default. */
  readonly limit?: number | undefined;
}

export interface EventFeed {
  readonly items: readonly FeedEvent[];
  /** Never null: what happens later comes behind it. */
  readonly next_cursor: string;
}

export type EventPorts = Pick<Ports, 'events' | 'clock' | 'settings'>;

/**
 * The events after a cursor, the oldest first. A reader that goes on from cursor to cursor gets each event once, also those
 * that commit late, and gets some again after the database was restored.
 * @throws Problem VALIDATION_ERROR for a cursor of another feed, and for one behind which events may have been removed
 */
export async function readEvents(ports: EventPorts, scope: EventScope, query: EventQuery): Promise<EventFeed> {
  const cursors = eventCursors(ports.settings.sessionSecret, scope);
  const now = await ports.clock.lastSeen();
  const after = query.after && cursors.placeOf(query.after, now);
  const { events, next } = await ports.events.page(scope, after, query.limit ?? PAGE.defaultLimit);
  const last = events.at(-1);
  return {
    items: events.map(({ event }) => event),
    next_cursor: last?.place === next ? cursors.behind(last, now) : cursors.at(next, now),
  };
}
