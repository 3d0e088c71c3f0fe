import { listSecurityEvents } from '../../../application/accounts/list-security-events.ts';
import type { EventStreams } from '../../../application/events/event-stream.ts';
import { type EventPorts, readEvents } from '../../../application/events/read-events.ts';
import type { Ports } from '../../../application/ports.ts';
import { ownEventOf } from '../../../domain/accounts/security-event.ts';
import { Problem } from '../../../domain/problem.ts';
import { endpoint } from '../kit/endpoint.ts';
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
import { EVENT_STREAM, eventStreamReply, sentCursor, VARYING, VARYING_IN_WORDS } from './event-stream-reply.ts';

export const agentEventsEndpoint = (ports: EventPorts, streams: EventStreams) => {
  const replyWithStream = eventStreamReply({ streams, schema: agentEvent, eventOf: agentEventOf });
  return endpoint({
    id: 'readAgentEvents',
    method: 'GET',
    path: '/api/v1/agent/events',
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
    summary: 'Read the events of your agents',
    description:
      'The events of all your agents, keys that expire soon, and changes of circuits, of the last 30 days, the oldest ' +
      'first. A reader that goes on from `next_cursor` to `next_cursor` misses none. ' +
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
      const scope = { owner_id: input.caller.owner_id, agent_id };
      if (input.prefers(EVENT_STREAM)) return replyWithStream(input, scope);
      const { items, next_cursor } = await readEvents(ports, scope, { after: sentCursor(input), limit });
      return { status: 200, headers: VARYING, body: { items: items.map(ownerEventOf), next_cursor } };
    },
  });
};
