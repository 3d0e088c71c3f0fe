import { z } from 'zod';
import { readLoggedRecord, readPublicProof } from '../../../../application/log/read-receipt.ts';
import type { Ports } from '../../../../application/ports.ts';
import { PUBLIC_REPLIES } from '../../../../domain/limits.ts';
import { type Endpoint, endpoint } from '../../kit/endpoint.ts';
import { queryInteger } from '../../kit/input/query-values.ts';
import { PROOF_FILE, publicProofQuery, recordPath } from '../../shapes/decisions/decision-parts.ts';
import { recordIdText } from '../../shapes/decisions/submission.ts';

export function publicLogEndpoints(ports: Ports): readonly Endpoint[] {
  return [decisionProofEndpoint(ports), loggedRecordEndpoint(ports)];
}

const tag = 'Evidence log';

/** Of a log with the most leaves (tlog-tiles, sizes of 53 bits). */
const MOST_INDEX = Number.MAX_SAFE_INTEGER - 1;

function decisionProofEndpoint(
  ports: Pick<Ports, 'decisions' | 'evidence' | 'log' | 'signatures' | 'canonicalJson' | 'settings'>,
) {
  return endpoint({
    id: 'readDecisionProof',
    method: 'GET',
    path: '/api/v1/public/decisions/{record_id}/proof',
    isAddition: true,
    summary: 'Get the proof of a public record',
    description:
      'Proves that the evidence log contains the public form of an evaluated record, or its grade. Credentials are ignored.',
    tag,
    auth: 'none',
    sharedFor: PUBLIC_REPLIES.sharedFor,
    params: recordPath,
    query: publicProofQuery,
    replies: { 200: PROOF_FILE },
    problems: ['NOT_FOUND', 'RECORD_UNREADABLE', 'SERVICE_UNAVAILABLE'],
    async handle({ params, query }) {
      return { status: 200, body: await readPublicProof(ports, params.record_id, query) };
    },
  });
}

function loggedRecordEndpoint(ports: Pick<Ports, 'decisions' | 'log' | 'settings'>) {
  return endpoint({
    id: 'findLoggedRecord',
    method: 'GET',
    path: '/api/v1/public/log/{index}',
    isAddition: true,
    summary: 'Find the record of a leaf',
    description:
      'Returns the public record whose leaf has this index in the newest log. Auditors draw graded leaves and expect each ' +
      'to be shown. Credentials are ignored.',
    tag,
    auth: 'none',
    // A cache must revalidate its copy: no record is shown after its quarantine.
    sharedFor: 0,
    params: z.strictObject({ index: queryInteger(0, MOST_INDEX).describe('The index of the leaf of its submission.') }),
    replies: {
      200: {
        description: 'The record.',
        schema: z.strictObject({ record_id: recordIdText() }).meta({ id: 'LoggedRecord' }),
        example: { record_id: 'dec_20260130_5c0ffee5' },
      },
    },
    problems: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    async handle({ params }) {
      return { status: 200, body: await readLoggedRecord(ports, params.index) };
    },
  });
}
