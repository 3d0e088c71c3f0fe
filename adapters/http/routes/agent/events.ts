import { type EventPorts, readEvents } from '../../../../application/events/read-events.ts';
import { Problem } from '../../../../domain/problem.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { agentEventFeed, agentEventOf, agentEventsExample, eventQuery } from '../../shapes/events.ts';

export const agentEventsEndpoint = (ports: EventPorts) =>
  endpoint({
    id: 'readAgentEvents',
    method: 'GET',
    path: '/api/v1/agent/events',
    summary: 'Read your events',
    description:
      'The events of the agent that the key is bound to, and changes of circuits, of the last 30 days, the oldest first. ' +
      'A reader that goes on from `next_cursor` to `next_cursor` misses none. It takes no unit of a pool.',
    tag: 'Events',
    auth: ['api_key'],
    query: eventQuery,
    replies: { 200: { description: 'The next events.', schema: agentEventFeed, example: agentEventsExample } },
    problems: ['KEY_UNBOUND'],
    async handle({ caller: { agent_id, owner_id }, query }) {
      if (agent_id === null)
        throw new Problem('KEY_UNBOUND', 'This API key is not bound to an agent, so it has no events.');
      const { items, next_cursor } = await readEvents(ports, { owner_id, agent_id }, query);
      return { status: 200, body: { items: items.map(agentEventOf), next_cursor } };
    },
  });
