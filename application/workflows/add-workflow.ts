import { randomBytes } from 'node:crypto';
import { ownerGone } from '../../domain/accounts/active-owner.ts';
import type { OwnerCaller } from '../../domain/caller.ts';
import { uuidV7 } from '../../domain/identifiers.ts';
import { TIER_LIMITS } from '../../domain/limits.ts';
import { Problem } from '../../domain/problem.ts';
import type { Draft, Visibility, Workflow } from '../../domain/workflows/workflow.ts';
import type { Ports } from '../ports.ts';

/** A draft, perhaps without a visibility: then the owner's preferred one applies, else private. */
export interface NewDraft extends Omit<Draft, 'visibility'> {
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
