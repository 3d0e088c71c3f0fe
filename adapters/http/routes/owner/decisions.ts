import { z } from 'zod';
import { listOwnRecords } from '../../../../application/decisions/list-own-records.ts';
import { readOwnDecision, readOwnState } from '../../../../application/decisions/read-own-decision.ts';
import { revokeDecision } from '../../../../application/decisions/revoke-decision.ts';
import type { Ports } from '../../../../application/ports.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { recordPath } from '../../shapes/decision-parts.ts';
import { ownerDetail, ownerState } from '../../shapes/decision-views.ts';
import {
  includeArchived,
  ownerRecordPage,
  ownerRecordPageExample,
  ownerRecordsQuery,
  revocation,
} from '../../shapes/own-records.ts';
import { ownerDetailExample, ownerStateExample } from '../../shapes/owner-examples.ts';

const auth = ['owner_bearer', 'legacy_session'] as const;
const tag = 'Owner records';

export function listDecisionsEndpoint(ports: Ports) {
  return endpoint({
    id: 'listOwnDecisions',
    method: 'GET',
    path: '/api/v1/owner/decisions',
    summary: 'List your records',
    description:
      'In whatever state they are, the newest submission first, in short: the words of a record, its outcome in full and ' +
      'the raw bars are in its detail. Those that you revoked are left out unless `include_archived=true`.',
    tag,
    auth,
    query: ownerRecordsQuery,
    replies: { 200: { description: 'A page of them.', schema: ownerRecordPage, example: ownerRecordPageExample } },
    problems: ['SERVICE_UNAVAILABLE'],
    async handle({ caller, query }) {
      return { status: 200, body: await listOwnRecords(ports, caller.owner_id, query) };
    },
  });
}

export function readOwnDecisionEndpoint(ports: Ports) {
  return endpoint({
    id: 'readOwnDecision',
    method: 'GET',
    path: '/api/v1/owner/decisions/{record_id}',
    summary: 'Read one of your records',
    description:
      'Everything there is of it, with the raw bars of its path and the counters of its evaluation. One that you revoked ' +
      'is 404 unless `include_archived=true`.',
    tag,
    auth,
    params: recordPath,
    query: z.strictObject({ include_archived: includeArchived() }),
    replies: { 200: { description: 'The record.', schema: ownerDetail, example: ownerDetailExample } },
    problems: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    async handle({ caller, params, query }) {
      const { include_archived = false } = query;
      return { status: 200, body: await readOwnDecision(ports, caller.owner_id, params.record_id, include_archived) };
    },
  });
}

export function readOwnStateEndpoint(ports: Ports) {
  return endpoint({
    id: 'readOwnDecisionState',
    method: 'GET',
    path: '/api/v1/owner/decisions/{record_id}/state',
    summary: 'Ask where one of your records stands',
    description: 'The state, and the outcome once it is closed, of archived records too. It never changes anything.',
    tag,
    auth,
    params: recordPath,
    replies: { 200: { description: 'The state.', schema: ownerState, example: ownerStateExample } },
    problems: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    async handle({ caller, params }) {
      return { status: 200, body: await readOwnState(ports, caller.owner_id, params.record_id) };
    },
  });
}

export function revokeDecisionEndpoint(ports: Ports) {
  return endpoint({
    id: 'revokeDecision',
    method: 'POST',
    path: '/api/v1/owner/decisions/{record_id}/revoke',
    summary: 'Archive one of your records',
    description:
      'Takes it out of your default views, and out of nothing else: it is graded and counted as before, and others read ' +
      'what they read before. Doing it again changes nothing, the first reason included. Nothing brings it back.',
    tag,
    auth,
    params: recordPath,
    body: { schema: revocation, example: { reason: 'A test of ours' } },
    replies: { 204: { description: 'The record is archived.' } },
    problems: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    async handle({ caller, params, body }) {
      await revokeDecision(ports, caller.owner_id, params.record_id, body.reason ?? null);
      return { status: 204 };
    },
  });
}
