import type { Ports } from '../../../../application/ports.ts';
import { changeWorkflow, removeWorkflow } from '../../../../application/workflows/change-workflow.ts';
import { forkWorkflow } from '../../../../application/workflows/fork-workflow.ts';
import { workflowDetail as detailOf, readOwnWorkflow } from '../../../../application/workflows/workflow-detail.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { workflowChange } from '../../shapes/workflow-draft.ts';
import { detailExample } from '../../shapes/workflow-examples.ts';
import { workflowPath } from '../../shapes/workflow-queries.ts';
import { workflowDetail } from '../../shapes/workflows.ts';

const tag = 'Workflows';
const auth = ['owner_bearer', 'legacy_session'] as const;

export function readWorkflowEndpoint(ports: Pick<Ports, 'workflows' | 'configFaults'>) {
  return endpoint({
    id: 'readWorkflow',
    method: 'GET',
    path: '/api/v1/owner/workflows/{id}',
    summary: 'Read one of your workflows',
    description: 'The draft as it is now, and everything that keeps it from being published.',
    tag,
    auth,
    params: workflowPath,
    replies: { 200: { description: 'The draft.', schema: workflowDetail, example: detailExample } },
    problems: ['NOT_OWNER', 'NOT_FOUND'],
    async handle({ caller, params }) {
      return { status: 200, body: await readOwnWorkflow(ports, caller.owner_id, params.id) };
    },
  });
}

export function updateWorkflowEndpoint(ports: Pick<Ports, 'workflows' | 'configFaults'>) {
  return endpoint({
    id: 'updateWorkflow',
    method: 'PUT',
    path: '/api/v1/owner/workflows/{id}',
    summary: 'Change a workflow',
    description:
      'What is left out stays. It happens only while the draft is of `expected_version`; else 409 tells the current one ' +
      'in `details`. What was published stays as it is, and as public as it is, until you publish again.',
    tag,
    auth,
    params: workflowPath,
    body: { schema: workflowChange, example: { expected_version: 1, visibility: 'public' } },
    replies: {
      200: {
        description: 'The draft, a version later.',
        schema: workflowDetail,
        example: { ...detailExample, version: 2 },
      },
    },
    problems: ['NOT_OWNER', 'NOT_FOUND', 'VERSION_CONFLICT'],
    async handle({ caller, params, body }) {
      const { expected_version, ...change } = body;
      const changed = await changeWorkflow(ports, caller.owner_id, params.id, expected_version, change);
      return { status: 200, body: detailOf(ports, changed) };
    },
  });
}

export function deleteWorkflowEndpoint(ports: Pick<Ports, 'workflows'>) {
  return endpoint({
    id: 'deleteWorkflow',
    method: 'DELETE',
    path: '/api/v1/owner/workflows/{id}',
    summary: 'Delete a workflow',
    description: 'The draft goes, for good, and leaves the marketplace. Its snapshots stay for whoever refers to them.',
    tag,
    auth,
    params: workflowPath,
    replies: { 204: { description: 'It is gone.' } },
    problems: ['NOT_OWNER', 'NOT_FOUND'],
    async handle({ caller, params }) {
      await removeWorkflow(ports, caller.owner_id, params.id);
      return { status: 204 };
    },
  });
}

export function forkWorkflowEndpoint(
  ports: Pick<Ports, 'workflows' | 'workflowSnapshots' | 'transaction' | 'clock' | 'configFaults'>,
) {
  return endpoint({
    id: 'forkWorkflow',
    method: 'POST',
    path: '/api/v1/owner/workflows/{id}/fork',
    summary: 'Copy a workflow',
    description:
      'One of your own as its draft is now; anybody else’s as it was last published for everybody, while it is public. ' +
      'The copy is yours to change, of the visibility that you prefer, else private.',
    tag,
    auth,
    params: workflowPath,
    replies: { 201: { description: 'The copy, as version 1.', schema: workflowDetail, example: detailExample } },
    problems: ['NOT_OWNER', 'NOT_FOUND', 'TIER_LIMIT_REACHED'],
    async handle({ caller, params }) {
      return { status: 201, body: detailOf(ports, await forkWorkflow(ports, caller, params.id)) };
    },
  });
}
