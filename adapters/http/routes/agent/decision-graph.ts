import { readGraph } from '../../../../application/decisions/read-graph.ts';
import type { Ports } from '../../../../application/ports.ts';
import { cappedBounds, GRAPH_CAPS } from '../../../../domain/decisions/graph/graph.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { recordPath } from '../../shapes/decisions/decision-parts.ts';
import { anyGraph, graphExample, graphQuery } from '../../shapes/decisions/graph.ts';

export function readGraphEndpoint(ports: Ports) {
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
