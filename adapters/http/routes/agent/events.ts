import type { EventStreams } from '../../../../application/events/event-stream.ts';
import { type EventPorts, readEvents } from '../../../../application/events/read-events.ts';
import { Problem } from '../../../../domain/problem.ts';
import { endpoint } from '../../kit/endpoint.ts';
import {
  agentEvent,
  agentEventFeed,
  agentEventOf,
  agentEventsExample,
  eventHeaders,
  eventQuery,
} from '../../shapes/events/events.ts';
import { EVENT_STREAM, eventStreamReply, sentCursor, VARYING, VARYING_IN_WORDS } from '../event-stream-reply.ts';

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
