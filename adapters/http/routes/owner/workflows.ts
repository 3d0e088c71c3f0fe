import type { Ports } from '../../../../application/ports.ts';
import { addWorkflow } from '../../../../application/workflows/add-workflow.ts';
import { listOwnWorkflows } from '../../../../application/workflows/list-workflows.ts';
import { TIER_LIMITS } from '../../../../domain/limits.ts';
import { summaryOf } from '../../../../domain/workflows/workflow.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { draftExample, newWorkflow } from '../../shapes/workflow-draft.ts';
import { summaryExample } from '../../shapes/workflow-examples.ts';
import { workflowsQuery } from '../../shapes/workflow-queries.ts';
import { workflowPage, workflowSummary } from '../../shapes/workflows.ts';

const tag = 'Workflows';
const auth = ['owner_bearer', 'legacy_session'] as const;

export function listWorkflowsEndpoint(ports: Pick<Ports, 'workflows'>) {
  return endpoint({
    id: 'listWorkflows',
    method: 'GET',
    path: '/api/v1/owner/workflows',
    summary: 'List your workflows',
    description: 'As their drafts are now. Names are sorted by their characters’ code points.',
    tag,
    auth,
    query: workflowsQuery,
    replies: {
      200: {
        description: 'A page of them.',
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

export function createWorkflowEndpoint(ports: Pick<Ports, 'transaction' | 'clock'>) {
  return endpoint({
    id: 'createWorkflow',
    method: 'POST',
    path: '/api/v1/owner/workflows',
    summary: 'Create a workflow',
    description:
      'It may be unfinished: reading it tells what publishing it still takes. Unless told it is of the visibility that ' +
      'you prefer, else private. How many you may have is a matter of your tier: ' +
      `free ${TIER_LIMITS.free.workflows}, pro ${TIER_LIMITS.pro.workflows}.`,
    tag,
    auth,
    body: { schema: newWorkflow, example: draftExample },
    replies: { 201: { description: 'The draft, as version 1.', schema: workflowSummary, example: summaryExample } },
    problems: ['TIER_LIMIT_REACHED'],
    async handle({ caller, body }) {
      return { status: 201, body: summaryOf(await addWorkflow(ports, caller, body)) };
    },
  });
}
