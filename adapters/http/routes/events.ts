import type { z } from 'zod';
import { listSecurityEvents } from '../../../application/accounts/own-account.ts';
import type { EventStreams, StreamOutlet, StreamRequest } from '../../../application/events/event-stream.ts';
import { type EventPorts, readEvents, type SentCursor } from '../../../application/events/read-events.ts';
import type { Ports } from '../../../application/ports.ts';
import { ownEventOf } from '../../../domain/accounts/security-event.ts';
import type { EventScope, FeedEvent } from '../../../domain/events/event.ts';
import { EVENT_STREAMS } from '../../../domain/limits.ts';
import { Problem } from '../../../domain/problem.ts';
import { endpoint, type Visit } from '../kit/endpoint.ts';
import { checkedBy, type PushedPipe, PushedReply } from '../kit/reply/pushed-reply.ts';
import { ownEventExample, ownEventPage, securityEventQuery } from '../shapes/accounts/security-events.ts';
import {
  agentEvent,
  agentEventFeed,
  agentEventOf,
  agentEventsExample,
  eventHeaders,
  eventQuery,
  ownerEvent,
  ownerEventFeed,
  ownerEventOf,
  ownerEventQuery,
  ownerEventsExample,
} from '../shapes/events/events.ts';

export const agentEventsEndpoint = (ports: EventPorts, streams: EventStreams) => {
  const replyWithStream = eventStreamReply({ streams, schema: agentEvent, eventOf: agentEventOf });
  return endpoint({
    id: 'readAgentEvents',
    method: 'GET',
    path: '/api/v1/agent/events',
    isAddition: true,
    summary: 'Read your events',
    description:
      'The events of the agent that the key is bound to, and changes of circuits, of the last 30 days, the oldest first. ' +
      'A reader that goes on from `next_cursor` to `next_cursor` misses none. It takes no unit of a pool. ' +
      'With `Accept: text/event-stream` the reply goes on with what happens (server-sent events), without `limit`.',
    tag: 'Events',
    auth: ['api_key'],
    query: eventQuery,
    headers: eventHeaders,
    replies: {
      200: {
        description: 'The next events; as a stream all events from there on.',
        schema: agentEventFeed,
        example: agentEventsExample,
        otherTypes: [EVENT_STREAM],
        headers: VARYING_IN_WORDS,
      },
    },
    problems: ['KEY_UNBOUND'],
    async handle(input) {
      const { agent_id, owner_id } = input.caller;
      if (agent_id === null)
        throw new Problem('KEY_UNBOUND', 'This API key is not bound to an agent, so it has no events.');
      const scope = { owner_id, agent_id };
      if (input.prefers(EVENT_STREAM)) return replyWithStream(input, scope);
      const page = { after: sentCursor(input), limit: input.query.limit };
      const { items, next_cursor } = await readEvents(ports, scope, page);
      return { status: 200, headers: VARYING, body: { items: items.map(agentEventOf), next_cursor } };
    },
  });
};

export const ownSecurityEventsEndpoint = (ports: Pick<Ports, 'securityEvents' | 'settings'>) =>
  endpoint({
    id: 'listOwnSecurityEvents',
    method: 'GET',
    path: '/api/v1/owner/security-events',
    isAddition: true,
    summary: 'List the security events of your account',
    description:
      'Logins that succeeded and failed, and changes of passwords, sessions and keys, the newest first. Equal events ' +
      'within a minute are one item with a `count`. Old events are removed.',
    tag: 'Accounts',
    auth: ['owner_bearer', 'legacy_session'],
    query: securityEventQuery,
    replies: {
      200: {
        description: 'A page of events.',
        schema: ownEventPage,
        example: { items: [ownEventExample], next_cursor: null },
      },
    },
    problems: [],
    async handle({ caller, query }) {
      const { items, next_cursor } = await listSecurityEvents(ports, { ...query, owner_id: caller.owner_id });
      return { status: 200, body: { items: items.map(ownEventOf), next_cursor } };
    },
  });

export const ownerEventsEndpoint = (ports: EventPorts, streams: EventStreams) => {
  const replyWithStream = eventStreamReply({ streams, schema: ownerEvent, eventOf: ownerEventOf });
  return endpoint({
    id: 'readOwnEvents',
    method: 'GET',
    path: '/api/v1/owner/events',
    isAddition: true,
    summary: 'Read the events of your agents',
    description:
      'The events of all your agents, submissions included, keys that expire soon, and changes of circuits, of the last ' +
      '30 days, the oldest first. A reader that goes on from `next_cursor` to `next_cursor` misses none. ' +
      'With `Accept: text/event-stream` the reply goes on with what happens (server-sent events), without `limit`.',
    tag: 'Events',
    auth: ['owner_bearer', 'legacy_session'],
    query: ownerEventQuery,
    headers: eventHeaders,
    replies: {
      200: {
        description: 'The next events; as a stream all events from there on.',
        schema: ownerEventFeed,
        example: ownerEventsExample,
        otherTypes: [EVENT_STREAM],
        headers: VARYING_IN_WORDS,
      },
    },
    problems: [],
    async handle(input) {
      const { agent_id, limit } = input.query;
      const scope = { owner_id: input.caller.owner_id, agent_id, hasSubmissions: true };
      if (input.prefers(EVENT_STREAM)) return replyWithStream(input, scope);
      const { items, next_cursor } = await readEvents(ports, scope, { after: sentCursor(input), limit });
      return { status: 200, headers: VARYING, body: { items: items.map(ownerEventOf), next_cursor } };
    },
  });
};

/** The media type of server-sent events (WHATWG HTML, 9.2). */
const EVENT_STREAM = 'text/event-stream';

/** Of a 200 that is JSON or a stream. This `vary` replaces the one of CORS, so it contains `origin`. */
const VARYING = { vary: 'accept, origin' } as const;
const VARYING_IN_WORDS = { vary: '`accept, origin`' } as const;

/** Proxies must pass each event on at once: not gather it, nor pack it. */
const UNBUFFERED = { 'x-accel-buffering': 'no', 'cache-control': 'no-store, no-transform' } as const;

interface CursorInput {
  readonly query: { readonly after?: string | undefined };
  readonly headers: { readonly 'last-event-id'?: string | undefined };
}

/** The header has precedence: a browser connects again with the query of its first request and the id of the last event. */
function sentCursor({ query, headers }: CursorInput): SentCursor | null {
  const last = headers['last-event-id'];
  if (last !== undefined) return { cursor: last, path: 'last-event-id' };
  return query.after === undefined ? null : { cursor: query.after, path: 'after' };
}

/** Writes events as lines of a stream, each with the same JSON as in the feed. */
function eventStreamReply<S extends z.ZodType>(form: {
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
