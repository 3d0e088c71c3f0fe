import type { z } from 'zod';
import type { EventStreams, StreamOutlet, StreamRequest } from '../../../application/events/event-stream.ts';
import type { SentCursor } from '../../../application/events/read-events.ts';
import type { EventScope, FeedEvent } from '../../../domain/events/event.ts';
import { EVENT_STREAMS } from '../../../domain/limits.ts';
import type { Visit } from '../kit/endpoint.ts';
import { checkedBy, type PushedPipe, PushedReply } from '../kit/reply/pushed-reply.ts';

/** The media type of server-sent events (WHATWG HTML, 9.2). */
export const EVENT_STREAM = 'text/event-stream';

/** Of a 200 that is JSON or a stream. This `vary` replaces the one of CORS, so it contains `origin`. */
export const VARYING = { vary: 'accept, origin' } as const;
export const VARYING_IN_WORDS = { vary: '`accept, origin`' } as const;

/** Proxies must pass each event on at once: not gather it, nor pack it. */
const UNBUFFERED = { 'x-accel-buffering': 'no', 'cache-control': 'no-store, no-transform' } as const;

interface CursorInput {
  readonly query: { readonly after?: string | undefined };
  readonly headers: { readonly 'last-event-id'?: string | undefined };
}

/** The header has precedence: a browser connects again with the query of its first request and the id of the last event. */
export function sentCursor({ query, headers }: CursorInput): SentCursor | null {
  const last = headers['last-event-id'];
  if (last !== undefined) return { cursor: last, path: 'last-event-id' };
  return query.after === undefined ? null : { cursor: query.after, path: 'after' };
}

/** Writes events as lines of a stream, each with the same JSON as in the feed. */
export function eventStreamReply<S extends z.ZodType>(form: {
  readonly streams: EventStreams;
  readonly schema: S;
  readonly eventOf: (event: FeedEvent) => z.input<S>;
}) {
  const checked = checkedBy(form.schema, 'an event of a stream');
  const jsonOf = (event: FeedEvent) => JSON.stringify(checked(form.eventOf(event)));
  return async (input: Visit & CursorInput, scope: EventScope) => {
    const { requestId: request_id, from, credential } = input;
    if (credential === null) throw new Error('A stream has no credential.');
    const request: StreamRequest = { scope, after: sentCursor(input), credential, from, request_id };
    const reserved = await form.streams.reserve(request);
    const open = (pipe: PushedPipe) => reserved.open(outletOf(pipe, jsonOf));
    const body = new PushedReply(EVENT_STREAM, open, reserved.release);
    return { status: 200, headers: { ...VARYING, ...UNBUFFERED }, body } as const;
  };
}

function outletOf(pipe: PushedPipe, jsonOf: (event: FeedEvent) => string): StreamOutlet {
  const { retry, retrySpread, retryReplaced } = EVENT_STREAMS;
  pipe.write(`retry: ${Math.round(retry + Math.random() * retrySpread)}\n\n`);
  return {
    event: (cursor, event) => pipe.write(`id: ${cursor}\nevent: ${event.type}\ndata: ${jsonOf(event)}\n\n`),
    heartbeat: () => pipe.write(': heartbeat\n\n'),
    end(reason, cursor) {
      const place = cursor === null ? '' : `id: ${cursor}\n`;
      const wait = reason === 'replaced' ? `retry: ${retryReplaced}\n` : '';
      pipe.end(`${place}${wait}event: stream.ended\ndata: ${JSON.stringify({ reason })}\n\n`);
    },
    cut: () => pipe.cut(),
    get isFull() {
      return pipe.isFull;
    },
    taken: () => pipe.taken(),
  };
}
