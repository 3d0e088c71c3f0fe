import { randomBytes } from 'node:crypto';
import { ownerGone } from '../../domain/accounts/owner.ts';
import type { OwnerCaller } from '../../domain/caller.ts';
import { uuidV7, WORKFLOW_ID } from '../../domain/identifiers.ts';
import { TIER_LIMITS } from '../../domain/limits.ts';
import { Problem } from '../../domain/problem.ts';
import { type Readiness, readiness } from '../../domain/workflows/readiness.ts';
import type { SnapshotContent } from '../../domain/workflows/snapshot.ts';
import {
  type Draft,
  type DraftChange,
  type Summary,
  summaryOf,
  type Visibility,
  type Workflow,
} from '../../domain/workflows/workflow.ts';
import type { Ports } from '../ports.ts';

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

/** A draft, perhaps without a visibility: then the owner's preferred one applies, else private. */
interface NewDraft extends Omit<Draft, 'visibility'> {
  readonly visibility?: Visibility | undefined;
}

/**
 * Adds a workflow to the owner, up to the limit of the tier (settled.md sections 7 and 11).
 * @param forked_from the workflow that it was copied from
 * @throws Problem TIER_LIMIT_REACHED, UNAUTHORIZED for an owner who is gone
 */
export async function addWorkflow(
  { transaction, clock }: Pick<Ports, 'transaction' | 'clock'>,
  { owner_id, tier }: Pick<OwnerCaller, 'owner_id' | 'tier'>,
  { visibility, name, description, tags, nodes, edges }: NewDraft,
  forked_from: string | null = null,
): Promise<Workflow> {
  const created_at = await clock.now();
  const id = uuidV7(created_at, randomBytes(10));
  const most = TIER_LIMITS[tier].workflows;
  const fields = { id, owner_id, name, description, tags, nodes, edges, created_at };
  return transaction(async ({ profiles, workflows }) => {
    const preferences = await profiles.lockPreferences(owner_id);
    if (!preferences) throw ownerGone();
    const shown = visibility ?? preferences.default_workflow_visibility ?? 'private';
    if (!(await workflows.add({ ...fields, visibility: shown, forked_from }, most))) throw tooMany(tier, most);
    return { ...fields, visibility: shown, version: 1, published_hash: null, updated_at: created_at };
  });
}

function tooMany(tier: string, most: number): Problem {
  return new Problem('TIER_LIMIT_REACHED', `The tier ${tier} holds ${most} workflows, and you have that many.`);
}

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
async function findAny(find: Find, id: string): Promise<Workflow> {
  const workflow = WORKFLOW_ID.test(id) ? await find(id) : null;
  if (workflow) return workflow;
  throw new Problem('NOT_FOUND', 'There is no such workflow.', {
    suggestion: 'Send an id that GET /api/v1/owner/workflows or GET /api/v1/public/workflows lists.',
  });
}

/** A workflow as its owner sees it, with what is missing for publication (settled.md section 11). */
interface WorkflowDetail extends Summary, Pick<Workflow, 'nodes' | 'edges'> {
  readonly readiness: Readiness;
}

export async function workflowDetail(
  { configFaults }: Pick<Ports, 'configFaults'>,
  workflow: Workflow,
): Promise<WorkflowDetail> {
  const { nodes, edges } = workflow;
  return { ...summaryOf(workflow), nodes, edges, readiness: readiness(workflow, await configFaults()) };
}

/** @throws Problem NOT_FOUND, NOT_OWNER */
export async function readOwnWorkflow(
  ports: Pick<Ports, 'workflows' | 'configFaults'>,
  owner_id: string,
  id: string,
): Promise<WorkflowDetail> {
  return workflowDetail(ports, await findOwn((known) => ports.workflows.find(known), owner_id, id));
}
