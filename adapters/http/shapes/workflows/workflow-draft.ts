import { z } from 'zod';
import { WORKFLOW } from '../../../../domain/limits.ts';
import { EDGE_END, NODE_NAME } from '../../../../domain/workflows/workflow.ts';
import { descriptionText, nameText, visibility } from '../texts.ts';

const name = nameText(WORKFLOW.nameLength);
const description = descriptionText(WORKFLOW.descriptionLength).describe(
  'What it is for and when to use it; required for publication.',
);
const tags = z.array(nameText(WORKFLOW.tagLength)).max(WORKFLOW.tags).readonly();
const publishedFor = visibility.describe('Who can read its publications; `public`: every caller.');

const config = z
  .record(z.string(), z.unknown())
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= WORKFLOW.configBytes, {
    error: `must be at most ${WORKFLOW.configBytes} bytes of JSON`,
  })
  .meta({ type: 'object', description: 'Valid by the `config_schema` of its template; at most 4 KiB.' });

const node = z
  .strictObject({
    id: z.string().regex(NODE_NAME, 'must be a lower-case letter and up to 39 more letters, digits, _ or -'),
    node_id: nameText(2 * WORKFLOW.nodeNameLength).describe(
      'The template that it follows; GET /api/v1/nodes lists the templates.',
    ),
    config: config.default({}),
  })
  .meta({ id: 'DraftNode' });

const edgeEnd = z.string().regex(EDGE_END, 'must be the id of a node, a dot and the name of a port');
const edge = z.strictObject({ from: edgeEnd, to: edgeEnd }).meta({ id: 'DraftEdge' });

const nodes = z.array(node).max(WORKFLOW.nodes).readonly();
const edges = z.array(edge).max(WORKFLOW.edges).readonly();

/** The parts of a workflow; it may be unfinished (settled.md section 11). */
export const newWorkflow = z
  .strictObject({
    name,
    description: description.default(''),
    tags: tags.default([]),
    visibility: publishedFor.optional(),
    nodes: nodes.default([]),
    edges: edges.default([]),
  })
  .meta({ id: 'NewWorkflow' });

/** Any of the members; an omitted member stays as it is. */
export const workflowChange = z
  .strictObject({
    expected_version: z.int32().min(1).describe('The version that you read; it must still be the current one.'),
    name: name.optional(),
    description: description.optional(),
    tags: tags.optional(),
    visibility: publishedFor.optional(),
    nodes: nodes.optional(),
    edges: edges.optional(),
  })
  .meta({ id: 'WorkflowChange' });

/** The smallest workflow that can be published: it records an idea. */
export const draftExample = {
  name: 'Idea to record',
  description: 'Puts a claim that somebody makes on record, so that it can be graded.',
  tags: ['minimal'],
  nodes: [
    { id: 'idea', node_id: 'input.idea', config: { origin: 'The morning meeting' } },
    { id: 'submit', node_id: 'decision.submit', config: {} },
  ],
  edges: [
    { from: 'idea.instrument', to: 'submit.instrument' },
    { from: 'idea.thesis', to: 'submit.thesis' },
  ],
} satisfies z.input<typeof newWorkflow>;
