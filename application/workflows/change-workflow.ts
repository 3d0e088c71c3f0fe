import { Problem } from '../../domain/problem.ts';
import type { Workflow } from '../../domain/workflows/workflow.ts';
import type { DraftChange } from '../../domain/workflows/workflow-store.ts';
import type { Ports } from '../ports.ts';
import { findOwn } from './find-workflow.ts';

/**
 * Changes the owner's workflow, only while it has the version that the caller has read (settled.md section 11).
 * @throws Problem NOT_FOUND, NOT_OWNER, VERSION_CONFLICT with the current version
 */
export async function changeWorkflow(
  { workflows }: Pick<Ports, 'workflows'>,
  owner_id: string,
  id: string,
  expected_version: number,
  change: DraftChange,
): Promise<Workflow> {
  const find = (known: string) => workflows.find(known);
  const { id: known } = await findOwn(find, owner_id, id);
  const changed = await workflows.update(known, owner_id, expected_version, change);
  if (changed) return changed;
  const { version } = await findOwn(find, owner_id, id);
  throw new Problem('VERSION_CONFLICT', `The workflow is of version ${version}, not ${expected_version}.`, {
    details: [
      {
        path: 'expected_version',
        message: `must be the current version, ${version}`,
        received: expected_version,
        current_version: version,
      },
    ],
  });
}

/** Removes the owner's draft; publications stay. @throws Problem NOT_FOUND, NOT_OWNER */
export async function removeWorkflow(
  { workflows }: Pick<Ports, 'workflows'>,
  owner_id: string,
  id: string,
): Promise<void> {
  const find = (known: string) => workflows.find(known);
  const { id: known } = await findOwn(find, owner_id, id);
  // The second of two concurrent removals finds it gone.
  if (!(await workflows.remove(known, owner_id))) await findOwn(find, owner_id, id);
}
