import { z } from 'zod';
import type { Ports } from '../../../../application/ports.ts';
import { listPublications } from '../../../../application/workflows/list-workflows.ts';
import { publishWorkflow } from '../../../../application/workflows/publish-workflow.ts';
import { readUsage } from '../../../../application/workflows/read-usage.ts';
import { snapshotView } from '../../../../domain/workflows/snapshot-view.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { publicationExample, snapshotExample, usageExample } from '../../shapes/workflow-examples.ts';
import { numberedPage, workflowPath } from '../../shapes/workflow-queries.ts';
import { publicationPage, workflowSnapshot, workflowUsage } from '../../shapes/workflows.ts';

const tag = 'Workflows';
const auth = ['owner_bearer', 'legacy_session'] as const;

export function listSnapshotsEndpoint(ports: Pick<Ports, 'workflows' | 'workflowSnapshots'>) {
  return endpoint({
    id: 'listSnapshots',
    method: 'GET',
    path: '/api/v1/owner/workflows/{id}/snapshots',
    summary: 'List what a workflow was published with',
    description: 'Each time that it was, the last first. The same content has the same hash every time.',
    tag,
    auth,
    params: workflowPath,
    query: z.strictObject(numberedPage),
    replies: {
      200: {
        description: 'A page of them.',
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

export function publishWorkflowEndpoint(ports: Pick<Ports, 'transaction' | 'configFaults' | 'canonicalJson'>) {
  return endpoint({
    id: 'publishWorkflow',
    method: 'POST',
    path: '/api/v1/owner/workflows/{id}/snapshots',
    summary: 'Publish a workflow',
    description:
      'Makes a snapshot of the draft that nothing can change or remove, for whom the visibility of the draft says. ' +
      'Publishing for everybody cannot be taken back. Decisions refer to it by `workflow_ref`.',
    tag,
    auth,
    params: workflowPath,
    replies: { 200: { description: 'The snapshot.', schema: workflowSnapshot, example: snapshotExample } },
    problems: ['WORKFLOW_NOT_READY', 'NOT_OWNER', 'NOT_FOUND'],
    async handle({ caller, params }) {
      return { status: 200, body: snapshotView(await publishWorkflow(ports, caller.owner_id, params.id)) };
    },
  });
}

export function workflowUsageEndpoint(ports: Pick<Ports, 'workflows' | 'workflowReader' | 'settings'>) {
  return endpoint({
    id: 'readWorkflowUsage',
    method: 'GET',
    path: '/api/v1/owner/workflows/{id}/usage',
    summary: 'Ask how a workflow was used',
    description:
      'By decisions that refer to any of its snapshots: your own, and those of others once they are public. How theirs ' +
      'came out is shown only when there are enough decisions by enough agents, and never whose they are.',
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
