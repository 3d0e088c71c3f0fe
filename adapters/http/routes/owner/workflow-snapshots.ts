import { z } from 'zod';
import type { Ports } from '../../../../application/ports.ts';
import {
  listPublications,
  type PublishPorts,
  publishWorkflow,
  readUsage,
} from '../../../../application/workflows/publish-workflow.ts';
import { snapshotView } from '../../../../domain/workflows/snapshot.ts';
import { type Endpoint, endpoint } from '../../kit/endpoint.ts';
import { publicationExample, snapshotExample, usageExample } from '../../shapes/workflows/workflow-examples.ts';
import { numberedPage, workflowPath } from '../../shapes/workflows/workflow-queries.ts';
import { publicationPage, workflowSnapshot, workflowUsage } from '../../shapes/workflows/workflows.ts';

export function snapshotEndpoints(ports: Ports): readonly Endpoint[] {
  return [listSnapshotsEndpoint(ports), publishWorkflowEndpoint(ports), workflowUsageEndpoint(ports)];
}

const tag = 'Workflows';
const auth = ['owner_bearer', 'legacy_session'] as const;

function listSnapshotsEndpoint(ports: Pick<Ports, 'workflows' | 'workflowSnapshots'>) {
  return endpoint({
    id: 'listSnapshots',
    method: 'GET',
    path: '/api/v1/owner/workflows/{id}/snapshots',
    summary: 'List the publications of a workflow',
    description: 'Lists every publication, newest first. The same content always has the same hash.',
    tag,
    auth,
    params: workflowPath,
    query: z.strictObject(numberedPage),
    replies: {
      200: {
        description: 'A page of publications.',
        schema: publicationPage,
        example: { items: [publicationExample], page: 1, per_page: 20, total: 1 },
      },
    },
    problems: ['NOT_OWNER', 'NOT_FOUND'],
    async handle({ caller, params, query }) {
      return { status: 200, body: await listPublications(ports, caller.owner_id, params.id, query) };
    },
  });
}

function publishWorkflowEndpoint(ports: PublishPorts) {
  return endpoint({
    id: 'publishWorkflow',
    method: 'POST',
    path: '/api/v1/owner/workflows/{id}/snapshots',
    summary: 'Publish a workflow',
    description:
      'Makes a permanent snapshot of the draft with the visibility of the draft. ' +
      'A public snapshot cannot be made private again. Decisions refer to it by `workflow_ref`.',
    tag,
    grows: true,
    auth,
    params: workflowPath,
    replies: { 200: { description: 'The snapshot.', schema: workflowSnapshot, example: snapshotExample } },
    problems: ['WORKFLOW_NOT_READY', 'NOT_OWNER', 'NOT_FOUND', 'DAILY_QUOTA_EXCEEDED'],
    async handle({ caller: { owner_id }, params, network }) {
      return { status: 200, body: snapshotView(await publishWorkflow(ports, { owner_id, network }, params.id)) };
    },
  });
}

function workflowUsageEndpoint(ports: Pick<Ports, 'workflows' | 'workflowReader' | 'settings'>) {
  return endpoint({
    id: 'readWorkflowUsage',
    method: 'GET',
    path: '/api/v1/owner/workflows/{id}/usage',
    summary: 'Read how a workflow was used',
    description:
      'Counts decisions that refer to any of its snapshots: your own, and public ones of other owners. The outcomes of ' +
      'others are shown only for enough decisions by enough owners, and their owners are never named.',
    tag,
    auth,
    params: workflowPath,
    replies: { 200: { description: 'Raw counts.', schema: workflowUsage, example: usageExample } },
    problems: ['NOT_OWNER', 'NOT_FOUND'],
    async handle({ caller, params }) {
      return { status: 200, body: await readUsage(ports, caller.owner_id, params.id) };
    },
  });
}
