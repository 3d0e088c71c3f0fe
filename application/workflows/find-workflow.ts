import { WORKFLOW_ID } from '../../domain/identifiers.ts';
import { Problem } from '../../domain/problem.ts';
import type { Workflow } from '../../domain/workflows/workflow.ts';

type Find = (id: string) => Promise<Workflow | null>;

/**
 * The owner's workflow of that id (interface.md 4.4). Another owner's workflow is only confirmed to exist, whatever its
 * visibility.
 * @throws Problem NOT_FOUND, also for an impossible id; NOT_OWNER
 */
export async function findOwn(find: Find, owner_id: string, id: string): Promise<Workflow> {
  const workflow = await findAny(find, id);
  if (workflow.owner_id === owner_id) return workflow;
  throw new Problem('NOT_OWNER', 'The workflow is not yours.');
}

/** @throws Problem NOT_FOUND, also for an impossible id */
export async function findAny(find: Find, id: string): Promise<Workflow> {
  const workflow = WORKFLOW_ID.test(id) ? await find(id) : null;
  if (workflow) return workflow;
  throw new Problem('NOT_FOUND', 'There is no such workflow.', {
    suggestion: 'Send an id that GET /api/v1/owner/workflows or GET /api/v1/public/workflows lists.',
  });
}
