import type { FeedEvent } from '../../domain/events/event.ts';
import type { EventScope, PlacedEvent } from '../../domain/events/event-store.ts';
import { EVENTS, PAGE } from '../../domain/limits.ts';
import { rfc3339 } from '../../domain/time.ts';
import { filterProblem } from '../decisions/filter-faults.ts';
import { openCursor, sealCursor } from '../page-cursor.ts';
import type { Ports } from '../ports.ts';

export interface EventQuery {
  /** The `next_cursor` of an earlier page of the same feed; absent: from the oldest event. */
  readonly after?: string | undefined;
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
  const { sessionSecret } = ports.settings;
  const about = ['events', scope.owner_id, scope.agent_id ?? null];
  const now = await ports.clock.lastSeen();
  const after = query.after === undefined ? null : placeIn(openCursor(sessionSecret, about, query.after), now);
  const { events, next } = await ports.events.page(scope, after, query.limit ?? PAGE.defaultLimit);
  return {
    items: events.map(({ event }) => event),
    next_cursor: sealCursor(sessionSecret, about, [next, rfc3339(timeOf(events.at(-1), next, now))]),
  };
}

/** The events behind a place are not older than this, except those that are too old for the feed. */
function timeOf(last: PlacedEvent | undefined, next: string, now: Date): Date {
  if (last?.place !== next) return now;
  const timeForNextRequest = EVENTS.stored - EVENTS.kept;
  return new Date(Math.max(last.event.at.getTime(), now.getTime() - EVENTS.kept + timeForNextRequest));
}

/** @throws Problem VALIDATION_ERROR */
function placeIn(sealed: unknown, now: Date): string {
  if (sealed === null) throw filterProblem({ path: 'after', message: 'must be the next_cursor of the same feed' });
  const [place, at] = sealed as readonly [string, string];
  if (now.getTime() - Date.parse(at) > EVENTS.kept) {
    const message = 'must be a next_cursor of the last 30 days: events behind it were removed. Read without it';
    throw filterProblem({ path: 'after', message });
  }
  return place;
}
