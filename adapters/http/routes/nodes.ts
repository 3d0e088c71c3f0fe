import { z } from 'zod';
import { Problem } from '../../../domain/problem.ts';
import { NODE_TEMPLATES, nodeTemplate } from '../../../domain/workflows/node-catalogue.ts';
import { NODE_GROUPS, PORT_TYPES } from '../../../domain/workflows/node-template.ts';
import { endpoint } from '../kit/endpoint.ts';
import { similarNodes } from '../kit/input/input-messages.ts';

const port = z.string();

const type = z.enum(PORT_TYPES);

/** One kind of step (settled.md section 11). */
const nodeTemplateView = z
  .strictObject({
    node_id: z.string().describe('`group.name`; a node of a draft refers to it.'),
    title: z.string(),
    group: z.enum(NODE_GROUPS),
    version: z.int().min(1).describe('Grows with every change of the template.'),
    inputs: z
      .array(
        z
          .strictObject({
            port,
            type,
            required: z.boolean().describe('Whether an edge must end here.'),
            multiple: z.boolean().describe('Whether more than one edge may end here.'),
          })
          .meta({ id: 'NodeInput' }),
      )
      .readonly(),
    outputs: z.array(z.strictObject({ port, type }).meta({ id: 'NodeOutput' })).readonly(),
    config_schema: z
      .record(z.string(), z.unknown())
      .describe('JSON Schema (draft 2020-12) of `config`; a missing member gets its default.'),
    instructions: z.string().describe('What the agent that follows it reads, decides and passes on.'),
  })
  .meta({ id: 'NodeTemplate' });

const nodeList = z
  .strictObject({
    items: z.array(nodeTemplateView).readonly(),
    next_cursor: z.null(),
  })
  .meta({ id: 'NodeTemplateList' });

const nodeExample = exampleOf('logic.freshness');

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
  const near = similarNodes(id);
  const suggestion =
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'GET /api/v1/nodes lists the existing ones.';
  return new Problem('NOT_FOUND', 'There is no such node.', { suggestion });
}

function exampleOf(node_id: string): z.input<typeof nodeTemplateView> {
  const template = nodeTemplate(node_id);
  if (!template) throw new Error(`There is no node ${node_id}`);
  return template;
}
