import { type EventPorts, readEvents } from '../../../../application/events/read-events.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { ownerEventFeed, ownerEventOf, ownerEventQuery, ownerEventsExample } from '../../shapes/events.ts';

export const ownerEventsEndpoint = (ports: EventPorts) =>
  endpoint({
    id: 'readOwnEvents',
    method: 'GET',
    path: '/api/v1/owner/events',
    summary: 'Read the events of your agents',
    description:
      'The events of all your agents, keys that expire soon, and changes of circuits, of the last 30 days, the oldest ' +
      'first. A reader that goes on from `next_cursor` to `next_cursor` misses none.',
    tag: 'Events',
    auth: ['owner_bearer', 'legacy_session'],
    query: ownerEventQuery,
    replies: { 200: { description: 'The next events.', schema: ownerEventFeed, example: ownerEventsExample } },
    problems: [],
    async handle({ caller: { owner_id }, query: { agent_id, ...query } }) {
      const { items, next_cursor } = await readEvents(ports, { owner_id, agent_id }, query);
      return { status: 200, body: { items: items.map(ownerEventOf), next_cursor } };
    },
  });
