import type { OwnerCaller } from '../../domain/caller.ts';
import { Problem } from '../../domain/problem.ts';
import type { SnapshotContent } from '../../domain/workflows/snapshot.ts';
import type { Workflow } from '../../domain/workflows/workflow.ts';
import type { Ports } from '../ports.ts';
import { addWorkflow, type NewDraft } from './add-workflow.ts';
import { findAny } from './find-workflow.ts';

/**
 * Copies a workflow into the caller's own (settled.md section 11): an own one as its draft is now, another owner's as
 * it was last published for everybody.
 * @throws Problem NOT_FOUND, NOT_OWNER for another owner's that is private or was never published for everybody,
 * TIER_LIMIT_REACHED
 */
export async function forkWorkflow(
  ports: Pick<Ports, 'workflows' | 'workflowSnapshots' | 'transaction' | 'clock'>,
  caller: OwnerCaller,
  id: string,
): Promise<Workflow> {
  const source = await findAny((known) => ports.workflows.find(known), id);
  const { name, description, tags, nodes, edges } =
    source.owner_id === caller.owner_id ? source : await publicContent(ports, source);
  return addWorkflow(ports, caller, { name, description, tags, nodes, edges }, source.id);
}

async function publicContent(
  { workflowSnapshots }: Pick<Ports, 'workflowSnapshots'>,
  { id, visibility }: Workflow,
): Promise<NewDraft> {
  const snapshot = visibility === 'public' ? await workflowSnapshots.newestPublic(id) : null;
  if (snapshot) return JSON.parse(snapshot.content) as SnapshotContent;
  throw new Problem('NOT_OWNER', 'The workflow is not yours, and it is not published for everybody.', {
    suggestion: 'Fork one that GET /api/v1/public/workflows lists.',
  });
}
