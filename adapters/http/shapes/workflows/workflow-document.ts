import { z } from 'zod';
import { nodeTemplate } from '../../../../domain/workflows/node-catalogue.ts';
import { SCHEMA_VERSION, WORKFLOW_KIND } from '../../../../domain/workflows/snapshot.ts';
import { similarNodes } from '../../kit/input/input-messages.ts';
import { newWorkflow } from './workflow-draft.ts';

const nodes = newWorkflow.shape.nodes.superRefine((sent, context) => {
  for (const [index, { node_id }] of sent.entries()) {
    if (nodeTemplate(node_id)) continue;
    context.addIssue({ code: 'custom', path: [index, 'node_id'], message: unknownNode(node_id), input: node_id });
  }
});

/** A workflow in a file: a draft whose nodes all exist (interface.md 4.4, settled.md section 11). */
export const workflowDocument = z.strictObject({
  schema_version: z.literal(SCHEMA_VERSION),
  kind: z.literal(WORKFLOW_KIND),
  ...newWorkflow.shape,
  nodes,
});

function unknownNode(node_id: string): string {
  const near = similarNodes(node_id);
  return near.length > 0
    ? `is not known; did you mean ${near.join(' or ')}?`
    : 'is not known; GET /api/v1/nodes lists the existing ones';
}

/** The smallest workflow that can be published, as a file. */
export const documentExample = `schema_version: v1
kind: stancebook.workflow
name: Idea to record
description: Puts a claim that somebody makes on record, so that it can be graded.
tags:
  - minimal
nodes:
  - id: idea
    node_id: input.idea
    config:
      origin: The morning meeting
  - id: submit
    node_id: decision.submit
edges:
  - from: idea.instrument
    to: submit.instrument
  - from: idea.thesis
    to: submit.thesis
`;
