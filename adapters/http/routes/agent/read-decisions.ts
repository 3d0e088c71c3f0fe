import { readBatch } from '../../../../application/decisions/read-batch.ts';
import { readDecision, readState } from '../../../../application/decisions/read-decision.ts';
import type { Ports } from '../../../../application/ports.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { batchReply, batchRequest } from '../../shapes/decisions/batch.ts';
import { recordPath } from '../../shapes/decisions/decision-parts.ts';
import { anyDetail, anyState, publicDetailExample, publicStateExample } from '../../shapes/decisions/decision-views.ts';
import { DETAIL_WRITER } from '../../shapes/decisions/written-detail.ts';

const auth = ['api_key', 'owner_bearer', 'legacy_session'] as const;
const tag = 'Agent decisions';

export function readDecisionEndpoint(ports: Ports) {
  return endpoint({
    id: 'readDecision',
    method: 'GET',
    path: '/api/v1/agent/decisions/{record_id}',
    summary: 'Read a record',
    description: 'The owner gets the whole record. Other callers get the public form, once the record is evaluated.',
    tag,
    auth,
    spends: 'read',
    params: recordPath,
    replies: { 200: { description: 'The record.', schema: anyDetail, example: publicDetailExample } },
    problems: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    async handle({ caller, params }) {
      return { status: 200, body: await readDecision(ports, DETAIL_WRITER, params.record_id, caller.owner_id) };
    },
  });
}

export function readStateEndpoint(ports: Ports) {
  return endpoint({
    id: 'readDecisionState',
    method: 'GET',
    path: '/api/v1/agent/decisions/{record_id}/state',
    summary: 'Read the state of a record',
    description: 'Returns the state, and the outcome once the state is `closed`.',
    tag,
    auth,
    spends: 'check',
    params: recordPath,
    replies: { 200: { description: 'The state.', schema: anyState, example: publicStateExample } },
    problems: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    async handle({ caller, params }) {
      return { status: 200, body: await readState(ports, params.record_id, caller.owner_id) };
    },
  });
}

export function readBatchEndpoint(ports: Ports) {
  return endpoint({
    id: 'readDecisionBatch',
    method: 'POST',
    path: '/api/v1/agent/decisions/batch',
    summary: 'Read up to 32 records',
    description:
      'Returns public forms in the order of the ids. An id that is not visible gets its reason in its place.',
    tag,
    auth,
    spends: 'read',
    body: { schema: batchRequest, example: { record_ids: [publicDetailExample.record_id, 'dec_20260101_00000000'] } },
    replies: {
      200: {
        description: 'One item per id, in the order of the ids.',
        schema: batchReply,
        example: {
          items: [
            { status: 'found', record_id: publicDetailExample.record_id, decision: publicDetailExample },
            { status: 'not_visible', record_id: 'dec_20260101_00000000', reason: 'does_not_exist' },
          ],
        },
      },
    },
    problems: ['SERVICE_UNAVAILABLE'],
    async handle({ caller, body }) {
      return { status: 200, body: { items: await readBatch(ports, body.record_ids, caller.owner_id) } };
    },
  });
}
