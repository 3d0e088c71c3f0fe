import { readReceipt } from '../../../../application/log/read-receipt.ts';
import type { Ports } from '../../../../application/ports.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { recordPath } from '../../shapes/decisions/decision-parts.ts';
import { PROOF_FILE, receiptQuery } from '../../shapes/decisions/log-proof.ts';

export function decisionReceiptEndpoint(
  ports: Pick<Ports, 'decisions' | 'evidence' | 'log' | 'signatures' | 'canonicalJson'>,
) {
  return endpoint({
    id: 'readDecisionReceipt',
    method: 'GET',
    path: '/api/v1/agent/decisions/{record_id}/receipt',
    summary: 'Get the receipt of a record',
    description:
      'Proves that the evidence log contains your record, in every state of it. A submission is in the log within 5 minutes; ' +
      'until then the reply is 404 with Retry-After. Keep the file: it stays valid, whatever happens to the service.',
    tag: 'Agent decisions',
    auth: ['api_key', 'owner_bearer', 'legacy_session'],
    params: recordPath,
    query: receiptQuery,
    replies: { 200: PROOF_FILE },
    problems: ['NOT_FOUND', 'NOT_LOGGED_YET', 'RECORD_UNREADABLE', 'SERVICE_UNAVAILABLE'],
    async handle({ caller, params, query: { leaf, opening } }) {
      const query = { leaf, owner: opening === 'full', evidence: opening === 'full' };
      return { status: 200, body: await readReceipt(ports, params.record_id, caller.owner_id, query) };
    },
  });
}
