import { z } from 'zod';
import { listSecurityEvents } from '../../../../application/accounts/own-account.ts';
import { listAudit } from '../../../../application/operators/operator-lists.ts';
import type { Ports } from '../../../../application/ports.ts';
import { AUDIT } from '../../../../domain/limits.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { timestamp } from '../../kit/input/query-values.ts';
import {
  anyEventExample,
  anyEventOf,
  anyEventPage,
  anySecurityEventQuery,
} from '../../shapes/accounts/security-events.ts';
import { auditPage } from '../../shapes/operators/listings.ts';
import { paged } from '../../shapes/texts.ts';

export const securityEventsEndpoint = (ports: Pick<Ports, 'securityEvents' | 'settings'>) =>
  endpoint({
    id: 'listSecurityEvents',
    method: 'GET',
    path: '/api/v1/admin/security-events',
    isAddition: true,
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

const auditQuery = z.strictObject({
  actor: z.string().min(1).max(AUDIT.filterLength).optional().describe('An owner_id, or `command line: ` with a user.'),
  action: z
    .string()
    .min(1)
    .max(AUDIT.filterLength)
    .optional()
    .describe('Such as `quarantine`, `suspend_owner`, `create_key`.'),
  subject: z
    .string()
    .min(1)
    .max(AUDIT.filterLength)
    .optional()
    .describe('What it was done to: a record id, an owner_id, the prefix of a key, an instrument.'),
  since: timestamp().optional().describe('Only entries at or after this time.'),
  until: timestamp().optional().describe('Only entries before this time.'),
  ...paged('Entries'),
});

const auditExample = {
  seq: '1207',
  at: new Date('2026-01-30T14:30:00.000Z'),
  actor: '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3',
  action: 'quarantine',
  subject: 'dec_20260130_5c0ffee5',
  detail: { changed: true, reason: 'Submitted through a stolen key.' },
};

export const auditLogEndpoint = (ports: Pick<Ports, 'audit' | 'settings'>) =>
  endpoint({
    id: 'listAuditLog',
    method: 'GET',
    path: '/api/v1/admin/audit-log',
    isAddition: true,
    summary: 'List the entries of the audit log',
    description:
      'What operators did, by command or over HTTP, and changes of API keys, the newest first. An entry has to match every ' +
      'parameter. Refused requests to the admin area are security events.',
    tag: 'Admin',
    auth: 'admin',
    query: auditQuery,
    replies: {
      200: {
        description: 'A page of entries.',
        schema: auditPage,
        example: { items: [auditExample], next_cursor: null },
      },
    },
    problems: [],
    async handle({ query }) {
      return { status: 200, body: await listAudit(ports, query) };
    },
  });
