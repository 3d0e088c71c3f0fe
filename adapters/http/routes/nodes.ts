import { z } from 'zod';
import { Problem } from '../../../domain/problem.ts';
import { NODE_TEMPLATES, nodeTemplate } from '../../../domain/workflows/node-catalogue.ts';
import { endpoint } from '../kit/endpoint.ts';
import { nearNodes } from '../kit/input/near-nodes.ts';
import { nodeExample, nodeList, nodeTemplateView } from '../shapes/workflows/nodes.ts';

const tag = 'Nodes';

export function listNodesEndpoint() {
  return endpoint({
    id: 'listNodes',
    method: 'GET',
    path: '/api/v1/nodes',
    summary: 'List the kinds of workflow steps',
    description:
      'Each has its ports, the schema of its config and instructions for the agent that follows it. They come with the ' +
      'service and cannot be changed. Credentials are ignored.',
    tag,
    auth: 'none',
    replies: {
      200: {
        description: 'All of them, by group: `next_cursor` is always null.',
        schema: nodeList,
        example: { items: [nodeExample], next_cursor: null },
      },
    },
    problems: [],
    handle: () => ({ status: 200, body: { items: NODE_TEMPLATES, next_cursor: null } }),
  });
}

export function readNodeEndpoint() {
  return endpoint({
    id: 'readNode',
    method: 'GET',
    path: '/api/v1/nodes/{id}',
    summary: 'Read one kind of workflow step',
    description: 'Finds the kind of step by its `node_id`. Credentials are ignored.',
    tag,
    auth: 'none',
    params: z.strictObject({ id: z.string().meta({ description: 'A `node_id`.', example: nodeExample.node_id }) }),
    replies: { 200: { description: 'The template.', schema: nodeTemplateView, example: nodeExample } },
    problems: ['NOT_FOUND'],
    handle({ params }) {
      const template = nodeTemplate(params.id);
      if (!template) throw unknownNode(params.id);
      return { status: 200, body: template };
    },
  });
}

function unknownNode(id: string): Problem {
  const near = nearNodes(id);
  const suggestion =
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'GET /api/v1/nodes lists the existing ones.';
  return new Problem('NOT_FOUND', 'There is no such node.', { suggestion });
}
