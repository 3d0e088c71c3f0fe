import { z } from 'zod';
import {
  listPublicDecisions,
  readDecision,
  readPublicGraph,
  readPublicState,
} from '../../../../application/decisions/read-decision.ts';
import type { Ports } from '../../../../application/ports.ts';
import { cappedBounds, GRAPH_CAPS } from '../../../../domain/decisions/graph/graph.ts';
import { NEWEST_PUBLIC, PUBLIC_REPLIES } from '../../../../domain/limits.ts';
import { type Endpoint, endpoint } from '../../kit/endpoint.ts';
import { queryInt64 } from '../../kit/input/query-values.ts';
import { cohortHandle, cohortHandleExample } from '../../shapes/cohorts/cohort.ts';
import { recordPath } from '../../shapes/decisions/decision-parts.ts';
import {
  publicDetail,
  publicDetailExample,
  publicState,
  publicStateExample,
} from '../../shapes/decisions/decision-views.ts';
import { DETAIL_WRITER, graphExample, graphQuery, publicGraph } from '../../shapes/decisions/graph.ts';

export function publicDecisionEndpoints(ports: Ports): readonly Endpoint[] {
  return [
    newestDecisionsEndpoint(ports),
    publicDecisionEndpoint(ports),
    publicStateEndpoint(ports),
    publicGraphEndpoint(ports),
  ];
}

const newestQuery = z.strictObject({
  limit: queryInt64(0)
    .optional()
    .describe(`Default ${NEWEST_PUBLIC.byDefault}; more than ${NEWEST_PUBLIC.most} is read as ${NEWEST_PUBLIC.most}.`),
});

/** The newest public records, each as a row of its cohort. */
const newestRecords = z
  .strictObject({ items: z.array(cohortHandle).readonly().describe('The newest `data_cutoff` first.') })
  .meta({ id: 'PublicDecisionList' });

const tag = 'Public decisions';

function newestDecisionsEndpoint(ports: Pick<Ports, 'cohorts' | 'clock'>) {
  return endpoint({
    id: 'listPublicDecisions',
    method: 'GET',
    path: '/api/v1/public/decisions',
    isAddition: true,
    summary: 'List the newest public records',
    description:
      'Returns the newest records by `data_cutoff`, retroactive ones included, whatever the size of their cohorts. A record ' +
      'is listed within a minute of its evaluation. There are no further pages: cohort queries have them. Credentials are ' +
      'ignored.',
    tag,
    auth: 'none',
    // A cache must revalidate its copy: no record is listed after its quarantine.
    sharedFor: 0,
    query: newestQuery,
    replies: { 200: { description: 'The records.', schema: newestRecords, example: { items: [cohortHandleExample] } } },
    problems: ['SERVICE_UNAVAILABLE'],
    async handle({ query }) {
      return { status: 200, body: await listPublicDecisions(ports, query.limit) };
    },
  });
}

function publicDecisionEndpoint(ports: Ports) {
  return endpoint({
    id: 'readPublicDecision',
    method: 'GET',
    path: '/api/v1/public/decisions/{record_id}',
    summary: 'Read a public record',
    description: 'Returns the anonymous form of an evaluated record. Credentials are ignored.',
    tag,
    auth: 'none',
    sharedFor: PUBLIC_REPLIES.sharedFor,
    params: recordPath,
    replies: { 200: { description: 'The record.', schema: publicDetail, example: publicDetailExample } },
    problems: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    async handle({ params }) {
      return { status: 200, body: await readDecision(ports, DETAIL_WRITER, params.record_id, null) };
    },
  });
}

function publicStateEndpoint(ports: Ports) {
  return endpoint({
    id: 'readPublicDecisionState',
    method: 'GET',
    path: '/api/v1/public/decisions/{record_id}/state',
    summary: 'Read the state of a public record',
    description: 'Returns the state and outcome of an evaluated record. Credentials are ignored.',
    tag,
    auth: 'none',
    sharedFor: PUBLIC_REPLIES.sharedFor,
    params: recordPath,
    replies: { 200: { description: 'The state.', schema: publicState, example: publicStateExample } },
    problems: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    async handle({ params }) {
      return { status: 200, body: await readPublicState(ports, params.record_id) };
    },
  });
}

function publicGraphEndpoint(ports: Ports) {
  return endpoint({
    id: 'readPublicDecisionGraph',
    method: 'GET',
    path: '/api/v1/public/decisions/{record_id}/graph',
    summary: 'Read the records related to a public record',
    description:
      'Walks breadth first over public records, by the relations that submissions named and by a common cohort or ' +
      'workflow. Credentials are ignored.',
    tag,
    auth: 'none',
    sharedFor: PUBLIC_REPLIES.sharedFor,
    params: recordPath,
    query: graphQuery(GRAPH_CAPS.public),
    replies: { 200: { description: 'The graph.', schema: publicGraph, example: graphExample } },
    problems: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    async handle({ params, query }) {
      const capped = { ...query, ...cappedBounds(query, GRAPH_CAPS.public) };
      return { status: 200, body: await readPublicGraph(ports, params.record_id, capped) };
    },
  });
}
