import { listSecurityEvents } from '../../../../application/accounts/list-security-events.ts';
import type { Ports } from '../../../../application/ports.ts';
import { endpoint } from '../../kit/endpoint.ts';
import {
  anyEventExample,
  anyEventOf,
  anyEventPage,
  anySecurityEventQuery,
} from '../../shapes/accounts/security-events.ts';

export const securityEventsEndpoint = (ports: Pick<Ports, 'securityEvents' | 'settings'>) =>
  endpoint({
    id: 'listSecurityEvents',
    method: 'GET',
    path: '/api/v1/admin/security-events',
    summary: 'List the security events of all accounts',
    description:
      'Those of every owner, and of callers without an account, the newest first; refused requests to the admin area ' +
      'are among them.',
    tag: 'Admin',
    auth: 'admin',
    query: anySecurityEventQuery,
    replies: {
      200: {
        description: 'A page of events.',
        schema: anyEventPage,
        example: { items: [anyEventExample], next_cursor: null },
      },
    },
    problems: [],
    async handle({ query }) {
      const { items, next_cursor } = await listSecurityEvents(ports, query);
      return { status: 200, body: { items: items.map(anyEventOf), next_cursor } };
    },
  });
