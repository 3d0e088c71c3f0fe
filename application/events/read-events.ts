import type { EventScope, FeedEvent, PlacedEvent } from '../../domain/events/event.ts';
import { EVENTS, PAGE } from '../../domain/limits.ts';
import type { ProblemDetail } from '../../domain/problem.ts';
import { rfc3339 } from '../../domain/time.ts';
import { filterProblem } from '../decisions/read-track-record.ts';
import { openCursor, sealCursor } from '../page-cursor.ts';
import type { Ports } from '../ports.ts';
import type { SecretValues } from '../sealed-secret.ts';

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
  const after = query.after && (await placeOf(ports, cursors, query.after));
  const { events, next } = await ports.events.page(scope, after, query.limit ?? PAGE.defaultLimit);
  const last = events.at(-1);
  return {
    items: events.map(({ event }) => event),
    next_cursor: last?.place === next ? cursors.behind(last, now) : cursors.at(next, now),
  };
}

/** A cursor as it was sent, and the parameter that it was sent in. */
export interface SentCursor {
  readonly cursor: string;
  readonly path: ProblemDetail['path'];
}

/** As a cursor: only what happens from now on. No sealed cursor is as short. */
const NOW = 'now';

/** The place of a cursor, or the end of the feed. @throws Problem as `EventCursors.placeOf` */
export async function placeOf(
  { events, clock }: Pick<Ports, 'events' | 'clock'>,
  cursors: EventCursors,
  sent: SentCursor,
): Promise<string> {
  return sent.cursor === NOW ? events.end() : cursors.placeOf(sent, await clock.lastSeen());
}

/** The places of a feed as its reader sees them: sealed, and with the age of the events behind them. */
export interface EventCursors {
  /**
   * @throws Problem VALIDATION_ERROR for a cursor of another feed, and for one behind which events may have been
   * removed
   */
  placeOf(sent: SentCursor, now: Date): string;
  /** Behind an event that was read. */
  behind(placed: PlacedEvent, now: Date): string;
  /** At a place behind which no event was written before `now`. */
  at(place: string, now: Date): string;
}

/** The cursors of one reader and, for owners, one `agent_id`. */
export function eventCursors(secret: SecretValues, { owner_id, agent_id }: EventScope): EventCursors {
  const about = ['events', owner_id, agent_id ?? null];
  const seal = (place: string, at: Date) => sealCursor(secret, about, [place, rfc3339(at)]);
  return {
    placeOf({ cursor, path }, now) {
      const sealed = openCursor(secret, about, cursor);
      if (sealed === null) throw filterProblem({ path, message: 'must be the next_cursor of the same feed' });
      const [place, at] = sealed as readonly [string, string];
      if (now.getTime() - Date.parse(at) > EVENTS.kept) {
        const message = 'must be a next_cursor of the last 30 days: events behind it were removed. Read without it';
        throw filterProblem({ path, message });
      }
      return place;
    },
    behind: ({ event, place }, now) => seal(place, timeBehind(event.at, now)),
    at: seal,
  };
}

/** The events behind an event are not older than this, except those that are too old for the feed. */
function timeBehind(at: Date, now: Date): Date {
  const timeForNextRequest = EVENTS.stored - EVENTS.kept;
  return new Date(Math.max(at.getTime(), now.getTime() - EVENTS.kept + timeForNextRequest));
}
