import { releaseDecision } from '../../../../application/decisions/moderate-decision.ts';
import { listQuarantined } from '../../../../application/operators/list-quarantined.ts';
import type { Ports } from '../../../../application/ports.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { recordPath } from '../../shapes/decisions/decision-parts.ts';
import {
  quarantinedExample,
  quarantinedPage,
  quarantinedQuery,
  release,
  releaseRequest,
} from '../../shapes/operators/quarantine.ts';

export const listQuarantinedEndpoint = (ports: Pick<Ports, 'quarantined' | 'settings'>) =>
  endpoint({
    id: 'listQuarantined',
    method: 'GET',
    path: '/api/v1/admin/quarantined-decisions',
    summary: 'List the records under quarantine',
    description: 'Those of all owners, the one submitted last first, without what their owners wrote.',
    tag: 'Admin',
    auth: 'admin',
    query: quarantinedQuery,
    replies: {
      200: {
        description: 'A page of records.',
        schema: quarantinedPage,
        example: { items: [quarantinedExample], next_cursor: null },
      },
    },
    problems: [],
    async handle({ query }) {
      return { status: 200, body: await listQuarantined(ports, query) };
    },
  });

export const releaseDecisionEndpoint = (ports: Pick<Ports, 'transaction'>) =>
  endpoint({
    id: 'releaseDecision',
    method: 'POST',
    path: '/api/v1/admin/decisions/{record_id}/release',
    summary: 'End the quarantine of a record',
    description:
      'A graded record is `evaluated` again, with the outcome that it had. Any other is verified again, and graded like any ' +
      'other. The reason of the quarantine stays in the audit log alone.',
    tag: 'Admin',
    auth: 'admin',
    params: recordPath,
    body: { schema: releaseRequest, example: { reason: 'The key was not stolen.' } },
    replies: {
      200: {
        description: 'It is not under quarantine.',
        schema: release,
        example: { record_id: quarantinedExample.record_id, lifecycle_state: 'evaluated', changed: true },
      },
    },
    problems: ['NOT_FOUND'],
    async handle({ caller, params: { record_id }, body: { reason } }) {
      const released = await releaseDecision(ports, record_id, caller.owner_id, reason);
      return { status: 200, body: { record_id, ...released } };
    },
  });
