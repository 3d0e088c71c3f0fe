import { z } from 'zod';
import { listOwnRecords } from '../../../../application/decisions/list-own-records.ts';
import { revokeDecision } from '../../../../application/decisions/moderate-decision.ts';
import { readOwnDecision, readOwnState } from '../../../../application/decisions/read-own-decision.ts';
import type { Ports } from '../../../../application/ports.ts';
import { type Endpoint, endpoint } from '../../kit/endpoint.ts';
import { commonExample, recordPath } from '../../shapes/decisions/decision-parts.ts';
import { ownerDetail, ownerState, publicStateExample } from '../../shapes/decisions/decision-views.ts';
import { DETAIL_WRITER } from '../../shapes/decisions/graph.ts';
import { outcomeExample, ownerFactsExample } from '../../shapes/decisions/outcome.ts';
import {
  includeArchived,
  ownerRecordPage,
  ownerRecordPageExample,
  ownerRecordsQuery,
  revocation,
} from '../../shapes/decisions/own-records.ts';

export function ownDecisionEndpoints(ports: Ports): readonly Endpoint[] {
  return [
    listDecisionsEndpoint(ports),
    readOwnDecisionEndpoint(ports),
    readOwnStateEndpoint(ports),
    revokeDecisionEndpoint(ports),
  ];
}

const progressExample = {
  attempts: 0,
  next_check_at: null,
  last_error: null,
  evaluated_at: new Date('2026-01-30T14:30:02Z'),
};

const ownerDetailExample: z.input<typeof ownerDetail> = {
  view: 'owner',
  ...commonExample,
  agent_id: 'agt_4f1c2d3e5a6b',
  number: 56,
  group: null,
  lifecycle_state: 'evaluated',
  expected_evaluation_at: new Date('2026-01-30T14:30:00Z'),
  key_factors: [{ factor: 'Stock split announced' }],
  reference_price: null,
  price_targets: null,
  invalidation: null,
  execution_info: null,
  service_interaction: null,
  confidence: 0.7,
  model: null,
  summary: 'Splits have drawn buyers before.',
  tags: null,
  inputs: null,
  meta: null,
  isolation_snapshot_id: null,
  result_bucket: 'strong_correct',
  outcome: { ...outcomeExample, ...ownerFactsExample, sources_after_cutoff: null },
  evaluation: progressExample,
  commitment_opening: { salt: 'ab'.repeat(32), statement: '{"body":{},"record_id":"dec_20260130_5c0ffee5"}' },
  archived_at: null,
  archive_reason: null,
  quarantine_reason: null,
  notes: [{ number: 1, text: 'Ignored the CPI date', written_at: new Date('2026-01-31T09:12:00Z') }],
};

const ownerStateExample: z.input<typeof ownerState> = {
  ...publicStateExample,
  view: 'owner',
  poll_after_seconds: null,
  outcome: { result_bucket: 'strong_correct', ...outcomeExample, ...ownerFactsExample },
  evaluation: progressExample,
};

const auth = ['owner_bearer', 'legacy_session'] as const;
const tag = 'Owner records';

function listDecisionsEndpoint(ports: Ports) {
  return endpoint({
    id: 'listOwnDecisions',
    method: 'GET',
    path: '/api/v1/owner/decisions',
    summary: 'List your records',
    description:
      'Lists records in every state, newest submission first, in a short form. The texts of a record, its full outcome and ' +
      'the raw bars are in its detail. Archived records are included only with `include_archived=true`.',
    tag,
    auth,
    query: ownerRecordsQuery,
    replies: { 200: { description: 'A page of records.', schema: ownerRecordPage, example: ownerRecordPageExample } },
    problems: ['SERVICE_UNAVAILABLE'],
    async handle({ caller, query }) {
      return { status: 200, body: await listOwnRecords(ports, caller.owner_id, query) };
    },
  });
}

function readOwnDecisionEndpoint(ports: Ports) {
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
      const { owner_id } = caller;
      const body = await readOwnDecision(ports, DETAIL_WRITER, owner_id, params.record_id, include_archived);
      return { status: 200, body };
    },
  });
}

function readOwnStateEndpoint(ports: Ports) {
  return endpoint({
    id: 'readOwnDecisionState',
    method: 'GET',
    path: '/api/v1/owner/decisions/{record_id}/state',
    summary: 'Read the state of one of your records',
    description:
      'Returns the state, and the outcome once the state is `closed`. It also serves archived records and never changes anything.',
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

function revokeDecisionEndpoint(ports: Ports) {
  return endpoint({
    id: 'revokeDecision',
    method: 'POST',
    path: '/api/v1/owner/decisions/{record_id}/revoke',
    summary: 'Archive one of your records',
    description:
      'Hides the record from your default views only. It is graded and counted as before, and others read ' +
      'what they read before. A repeated request changes nothing and keeps the first reason. Archiving cannot be undone.',
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
