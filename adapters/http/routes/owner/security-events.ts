import { listSecurityEvents } from '../../../../application/accounts/list-security-events.ts';
import type { Ports } from '../../../../application/ports.ts';
import { ownEventOf } from '../../../../domain/accounts/security-event.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { ownEventExample, ownEventPage, securityEventQuery } from '../../shapes/accounts/security-events.ts';

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
