import { z } from 'zod';
import { listAgentRecords, type SummaryWriter } from '../../../../application/decisions/list-own-records.ts';
import {
  type BatchItem,
  readBatch,
  readDecision,
  readGraph,
  readState,
} from '../../../../application/decisions/read-decision.ts';
import { replyJson, WrittenReply } from '../../../../application/json-text.ts';
import { readReceipt } from '../../../../application/log/read-receipt.ts';
import type { Ports } from '../../../../application/ports.ts';
import { cappedBounds, GRAPH_CAPS } from '../../../../domain/decisions/graph/graph.ts';
import { type ListedDecision, ownSummary } from '../../../../domain/decisions/own/owner-records.ts';
import { BATCH } from '../../../../domain/limits.ts';
import { Problem } from '../../../../domain/problem.ts';
import { type Endpoint, endpoint } from '../../kit/endpoint.ts';
import { checkedBy } from '../../kit/reply/pushed-reply.ts';
import { PROOF_FILE, receiptQuery, recordPath } from '../../shapes/decisions/decision-parts.ts';
import {
  anyDetail,
  anyState,
  publicDetail,
  publicDetailExample,
  publicStateExample,
} from '../../shapes/decisions/decision-views.ts';
import { anyGraph, DETAIL_WRITER, graphExample, graphQuery } from '../../shapes/decisions/graph.ts';
import {
  agentRecordPage,
  agentRecordPageExample,
  agentSummary,
  ownRecordsQuery,
} from '../../shapes/decisions/own-records.ts';

export function decisionEndpoints(ports: Ports): readonly Endpoint[] {
  return [
    listAgentDecisionsEndpoint(ports),
    readBatchEndpoint(ports),
    readDecisionEndpoint(ports),
    readStateEndpoint(ports),
    readGraphEndpoint(ports),
    decisionReceiptEndpoint(ports),
  ];
}

const checked = checkedBy(agentSummary, 'A record in a list');

/** The texts of records that are still in use, in UTF-8: a page of strings takes twice as long to send. */
const written = new WeakMap<ListedDecision, { readonly gap: string | null; readonly text: Buffer }>();

/** Writes pages of an agent's own records. */
export const SUMMARY_WRITER: SummaryWriter = {
  write(record, gap) {
    const before = written.get(record);
    if (before?.gap === gap) return before.text;
    const text = Buffer.from(replyJson(checked(ownSummary(record, gap))));
    written.set(record, { gap, text });
    return text;
  },
  writePage(items, next_cursor) {
    return listOf(items, `,"next_cursor":${replyJson(next_cursor)}}`);
  },
};

/** @param end what follows the list */
function listOf(items: readonly Uint8Array[], end: string): Uint8Array {
  const separated = items.flatMap((item, n) => (n === 0 ? [item] : [COMMA, item]));
  return Buffer.concat([BEGIN, ...separated, Buffer.from(`]${end}`)]);
}

const BEGIN = Buffer.from('{"items":[');

const COMMA = Buffer.from(',');

function itemText(item: BatchItem): Uint8Array {
  if (item.status === 'not_visible') return Buffer.from(replyJson(item));
  const { record_id, decision } = item;
  const head = Buffer.from(`{"status":"found","record_id":"${record_id}","decision":`);
  return Buffer.concat([head, Buffer.from(decision.json), END]);
}

const END = Buffer.from('}');

/** Ids of any form are accepted: a malformed one gets its reason in its place. */
const batchRequest = z
  .strictObject({ record_ids: z.array(z.string()).min(1).max(BATCH.records) })
  .meta({ id: 'BatchRequest' });

const batchReply = z
  .strictObject({
    items: z.array(
      z.discriminatedUnion('status', [
        z
          .strictObject({ status: z.literal('found'), record_id: z.string(), decision: publicDetail })
          .meta({ id: 'FoundRecord' }),
        z
          .strictObject({
            status: z.literal('not_visible'),
            record_id: z.string(),
            reason: z.enum(['does_not_exist', 'not_public', 'malformed']),
          })
          .meta({ id: 'NotVisibleRecord' }),
      ]),
    ),
  })
  .meta({ id: 'BatchReply' });

const auth = ['api_key', 'owner_bearer', 'legacy_session'] as const;
const tag = 'Agent decisions';

function readDecisionEndpoint(ports: Ports) {
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

function readStateEndpoint(ports: Ports) {
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

function readBatchEndpoint(ports: Ports) {
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
      const items = await readBatch(ports, DETAIL_WRITER, body.record_ids, caller.owner_id);
      return { status: 200, body: new WrittenReply(listOf(items.map(itemText), '}')) };
    },
  });
}

function listAgentDecisionsEndpoint(ports: Ports) {
  return endpoint({
    id: 'listAgentDecisions',
    method: 'GET',
    path: '/api/v1/agent/decisions',
    isAddition: true,
    summary: "List the agent's own records",
    description:
      'Lists the records of the agent that the key is bound to, in every state, newest submission first. Records of ' +
      "the owner's other agents are not included. It takes no unit of a pool.",
    tag: 'Agent decisions',
    auth: ['api_key'],
    query: ownRecordsQuery,
    replies: { 200: { description: 'A page of records.', schema: agentRecordPage, example: agentRecordPageExample } },
    problems: ['KEY_UNBOUND', 'SERVICE_UNAVAILABLE'],
    async handle({ caller, query }) {
      const { agent_id, owner_id } = caller;
      if (agent_id === null)
        throw new Problem('KEY_UNBOUND', 'This API key is not bound to an agent, so it has no records.');
      return { status: 200, body: await listAgentRecords(ports, SUMMARY_WRITER, owner_id, { ...query, agent_id }) };
    },
  });
}

function decisionReceiptEndpoint(
  ports: Pick<Ports, 'decisions' | 'evidence' | 'log' | 'signatures' | 'canonicalJson'>,
) {
  return endpoint({
    id: 'readDecisionReceipt',
    method: 'GET',
    path: '/api/v1/agent/decisions/{record_id}/receipt',
    isAddition: true,
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

function readGraphEndpoint(ports: Ports) {
  return endpoint({
    id: 'readDecisionGraph',
    method: 'GET',
    path: '/api/v1/agent/decisions/{record_id}/graph',
    summary: 'Read the records related to a record',
    description:
      'Walks breadth first over the relations that submissions named and over a common cohort or workflow. ' +
      'Records that the caller may not see are neither shown nor passed through. It takes no unit of a pool.',
    tag: 'Agent decisions',
    auth: ['api_key', 'owner_bearer', 'legacy_session'],
    params: recordPath,
    query: graphQuery(GRAPH_CAPS.agent),
    replies: { 200: { description: 'The graph.', schema: anyGraph, example: graphExample } },
    problems: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    async handle({ caller, params, query }) {
      const capped = { ...query, ...cappedBounds(query, GRAPH_CAPS.agent) };
      return { status: 200, body: await readGraph(ports, params.record_id, caller.owner_id, capped) };
    },
  });
}
