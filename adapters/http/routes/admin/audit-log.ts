import { listAudit } from '../../../../application/operators/list-audit.ts';
import type { Ports } from '../../../../application/ports.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { auditExample, auditPage, auditQuery } from '../../shapes/operators/audit-log.ts';

export const auditLogEndpoint = (ports: Pick<Ports, 'audit' | 'settings'>) =>
  endpoint({
    id: 'listAuditLog',
    method: 'GET',
    path: '/api/v1/admin/audit-log',
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
