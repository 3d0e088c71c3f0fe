import type { EventScope, FeedEvent, PlacedEvent } from '../../domain/events/event.ts';
import type { HeldCredential } from '../../domain/quotas/admission.ts';
import type { Millis } from '../../domain/time.ts';
import type { PresentedCredential } from '../accounts/sign-in/proof-of-credential.ts';
import type { EventCursors, SentCursor } from './read-events.ts';

/**
 * Why a stream ended; `client`: the client closed the connection, `slow`: it took nothing for too long, `unavailable`:
 * its events could not be read.
 */
export const STREAM_ENDS = [
  'client',
  'credential',
  'lifetime',
  'replaced',
  'restored',
  'shutdown',
  'slow',
  'unavailable',
] as const;
export type StreamEnd = (typeof STREAM_ENDS)[number];

/** What the client of a stream is sent, and whether it takes it. */
export interface StreamOutlet {
  /** @param cursor the place behind the event */
  event(cursor: string, event: FeedEvent): void;
  /** Shows that the stream is open. */
  heartbeat(): void;
  /**
   * Ends the reply.
   * @param cursor the place from which the client can go on; null: it is the one that the client knows
   */
  end(reason: StreamEnd, cursor: string | null): void;
  /** Closes the connection at once. */
  cut(): void;
  /** Whether so much waits for the client that no more should be added. */
  readonly isFull: boolean;
  /** Resolves when the outlet is not full, or its connection is closed. */
  taken(): Promise<void>;
}

export interface StreamRequest {
  readonly scope: EventScope;
  /** A cursor of the same feed; null: from the oldest event. */
  readonly after: SentCursor | null;
  readonly credential: PresentedCredential;
  /** The client's IP address; null where what a proxy sent is none. */
  readonly from: string | null;
  readonly request_id: string;
}

/** A place among the streams of this process. One of the two is called, once. */
export interface ReservedStream {
  /** Returns what is to be called when the connection is closed. */
  open(outlet: StreamOutlet): () => void;
  release(): void;
}

/** A stream that has ended. */
export type EndedStream = {
  readonly request_id: string;
  readonly reason: StreamEnd;
  /** Whole milliseconds. */
  readonly duration_ms: number;
  /** Events that were sent. */
  readonly count: number;
};

export interface StreamFigures {
  readonly open: number;
  /** Since the process began. */
  readonly ended: Readonly<Record<StreamEnd, number>>;
  readonly refused: number;
}

export interface EventStreams {
  /**
   * @throws Problem VALIDATION_ERROR for a cursor of another feed or one that is too old; SERVICE_UNAVAILABLE when as
   * many streams are open as may be, and when the process stops; UNAUTHORIZED for a token that has just expired
   */
  reserve(request: StreamRequest): Promise<ReservedStream>;
  figures(): StreamFigures;
  /** Ends all streams, and opens no more. */
  close(): void;
}

/** Whose stream it is. */
export interface StreamReader {
  readonly scope: EventScope;
  readonly cursors: EventCursors;
  readonly request_id: string;
  readonly credential: PresentedCredential;
  readonly held: HeldCredential;
  /** The same for all streams of the credential. */
  readonly subject: string;
}

export interface EventStream extends StreamReader {
  readonly outlet: StreamOutlet;
  /** By a clock that nobody sets. */
  readonly beganAt: Millis;
  /** The turn in which its credential is judged again. */
  readonly turn: number;
  /** The pulse in which it gets a heartbeat. */
  readonly pulse: number;
  isOpen: boolean;
  /** Up to where its reader has all events, and when that was read; null before the first reading. */
  read: { readonly place: string; readonly at: Date } | null;
  /** Events that were sent. */
  events: number;
  /** Whether its credential was to be judged, and could not be. */
  isUnjudged: boolean;
  /** Since when the outlet is full, by the clock of `beganAt`; null: it is not, as far as is known. */
  fullSince: Millis | null;
}

/** Sends an event that comes after all that the stream has read. */
export function sendEvent(stream: EventStream, placed: PlacedEvent, at: Date): void {
  stream.outlet.event(stream.cursors.behind(placed, at), placed.event);
  stream.read = { place: placed.place, at };
  stream.events += 1;
}
