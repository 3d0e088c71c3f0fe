import type { Ports } from '../../../../application/ports.ts';
import {
  addWorkflow,
  changeWorkflow,
  workflowDetail as detailOf,
  forkWorkflow,
  readOwnWorkflow,
  removeWorkflow,
} from '../../../../application/workflows/change-workflow.ts';
import { listOwnWorkflows } from '../../../../application/workflows/publish-workflow.ts';
import { TIER_LIMITS } from '../../../../domain/limits.ts';
import { summaryOf } from '../../../../domain/workflows/workflow.ts';
import { type Endpoint, endpoint } from '../../kit/endpoint.ts';
import { draftExample, newWorkflow, workflowChange } from '../../shapes/workflows/workflow-draft.ts';
import { detailExample, summaryExample } from '../../shapes/workflows/workflow-examples.ts';
import { workflowPath, workflowsQuery } from '../../shapes/workflows/workflow-queries.ts';
import { workflowDetail, workflowPage, workflowSummary } from '../../shapes/workflows/workflows.ts';
import { exportWorkflowEndpoint, importWorkflowEndpoint } from './workflow-files.ts';
import { snapshotEndpoints } from './workflow-snapshots.ts';

export function workflowEndpoints(ports: Ports): readonly Endpoint[] {
  return [
    listWorkflowsEndpoint(ports),
    createWorkflowEndpoint(ports),
    importWorkflowEndpoint(ports),
    readWorkflowEndpoint(ports),
    updateWorkflowEndpoint(ports),
    deleteWorkflowEndpoint(ports),
    forkWorkflowEndpoint(ports),
    ...snapshotEndpoints(ports),
    exportWorkflowEndpoint(ports),
  ];
}

const tag = 'Workflows';
const auth = ['owner_bearer', 'legacy_session'] as const;
const ALL_WORKFLOWS = '/api/v1/owner/workflows';
const ONE_WORKFLOW = `${ALL_WORKFLOWS}/{id}` as const;

function listWorkflowsEndpoint(ports: Pick<Ports, 'workflows'>) {
  return endpoint({
    id: 'listWorkflows',
    method: 'GET',
    path: ALL_WORKFLOWS,
    summary: 'List your workflows',
    description: 'Lists the current drafts. Names are sorted by their characters’ code points.',
    tag,
    auth,
    query: workflowsQuery,
    replies: {
      200: {
        description: 'A page of drafts.',
        schema: workflowPage,
        example: { items: [summaryExample], page: 1, per_page: 20, total: 1 },
      },
    },
    problems: [],
    async handle({ caller, query }) {
      return { status: 200, body: await listOwnWorkflows(ports, caller.owner_id, query) };
    },
  });
}

function createWorkflowEndpoint(ports: Pick<Ports, 'transaction' | 'clock'>) {
  return endpoint({
    id: 'createWorkflow',
    method: 'POST',
    path: ALL_WORKFLOWS,
    summary: 'Create a workflow',
    description:
      'The draft may be unfinished: reading it lists what is missing for publication. Without `visibility` it gets your ' +
      'preferred visibility, else `private`. Your tier limits the number of workflows: ' +
      `free ${TIER_LIMITS.free.workflows}, pro ${TIER_LIMITS.pro.workflows}.`,
    tag,
    grows: true,
    auth,
    body: { schema: newWorkflow, example: draftExample },
    replies: { 201: { description: 'The draft, as version 1.', schema: workflowSummary, example: summaryExample } },
    problems: ['TIER_LIMIT_REACHED'],
    async handle({ caller, body }) {
      return { status: 201, body: summaryOf(await addWorkflow(ports, caller, body)) };
    },
  });
}

function readWorkflowEndpoint(ports: Pick<Ports, 'workflows' | 'configFaults'>) {
  return endpoint({
    id: 'readWorkflow',
    method: 'GET',
    path: ONE_WORKFLOW,
    summary: 'Read one of your workflows',
    description: 'Returns the current draft and everything that prevents its publication.',
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

function updateWorkflowEndpoint(ports: Pick<Ports, 'workflows' | 'configFaults'>) {
  return endpoint({
    id: 'updateWorkflow',
    method: 'PUT',
    path: ONE_WORKFLOW,
    summary: 'Change a workflow',
    description:
      'Omitted members stay as they are. The draft must be at `expected_version`; otherwise 409 shows the ' +
      'current version in `details`. Published snapshots and their visibility change only when you publish again.',
    tag,
    grows: true,
    auth,
    params: workflowPath,
    body: { schema: workflowChange, example: { expected_version: 1, visibility: 'public' } },
    replies: {
      200: {
        description: 'The draft, with the next version number.',
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

function deleteWorkflowEndpoint(ports: Pick<Ports, 'workflows'>) {
  return endpoint({
    id: 'deleteWorkflow',
    method: 'DELETE',
    path: ONE_WORKFLOW,
    summary: 'Delete a workflow',
    description:
      'Deletes the draft permanently and removes it from the marketplace. Its snapshots remain for the records that refer to them.',
    tag,
    auth,
    params: workflowPath,
    replies: { 204: { description: 'The workflow is deleted.' } },
    problems: ['NOT_OWNER', 'NOT_FOUND'],
    async handle({ caller, params }) {
      await removeWorkflow(ports, caller.owner_id, params.id);
      return { status: 204 };
    },
  });
}

function forkWorkflowEndpoint(
  ports: Pick<Ports, 'workflows' | 'workflowSnapshots' | 'transaction' | 'clock' | 'configFaults'>,
) {
  return endpoint({
    id: 'forkWorkflow',
    method: 'POST',
    path: `${ONE_WORKFLOW}/fork`,
    summary: 'Copy a workflow',
    description:
      'Copies the current draft of your own workflow, or the last public snapshot of a public workflow of another ' +
      'owner. You own the copy; it has your preferred visibility, else `private`.',
    tag,
    grows: true,
    auth,
    params: workflowPath,
    replies: { 201: { description: 'The copy, as version 1.', schema: workflowDetail, example: detailExample } },
    problems: ['NOT_OWNER', 'NOT_FOUND', 'TIER_LIMIT_REACHED'],
    async handle({ caller, params }) {
      return { status: 201, body: detailOf(ports, await forkWorkflow(ports, caller, params.id)) };
    },
  });
}
