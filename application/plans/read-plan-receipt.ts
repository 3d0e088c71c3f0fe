import { LOG } from '../../domain/limits.ts';
import { planLeaf } from '../../domain/log/batch.ts';
import type { LogLeaf } from '../../domain/log/leaves/leaf.ts';
import type { PlanOpening } from '../../domain/log/leaves/opening.ts';
import { noteText } from '../../domain/log/notes/note.ts';
import type { OpenedPlan, Plan } from '../../domain/log/plan.ts';
import { inclusionPath, proofNodes } from '../../domain/log/tree/proof.ts';
import { Problem } from '../../domain/problem.ts';
import { rfc3339 } from '../../domain/time.ts';
import { nodesOfLog } from '../log/append-batch.ts';
import { proofFile } from '../log/read-proof.ts';
import { noLogKept } from '../log/read-receipt.ts';
import { witnessedCheckpoint } from '../log/signed-checkpoint.ts';
import type { Ports } from '../ports.ts';
import { sha256 } from '../sha256.ts';
import { findPlan } from './read-plans.ts';

type ReceiptPorts = Pick<Ports, 'plans' | 'log' | 'signatures' | 'canonicalJson'>;

/**
 * The owner's proof of the leaf of a plan (tlog-proof), with its opening: salt and statement, and with `full` who stated it.
 * @throws Problem NOT_FOUND for a plan that is not the owner's, NOT_LOGGED_YET, SERVICE_UNAVAILABLE where no log is kept
 */
export async function readPlanReceipt(
  ports: ReceiptPorts,
  owner_id: string,
  plan_id: string,
  { full }: { readonly full: boolean },
): Promise<string> {
  const plan = await findPlan(ports, owner_id, plan_id);
  const log = await ports.log.newest();
  if (!log) throw noLogKept();
  const index = await ports.log.planLeaf(log.log, plan_id);
  const checkpoint = index === null ? null : await ports.log.firstWith(log.log, index);
  const note = checkpoint && (await witnessedCheckpoint(ports, log, checkpoint, 'first'));
  if (index === null || !checkpoint || !note) {
    throw new Problem('NOT_LOGGED_YET', `The plan ${plan_id} is not in a signed checkpoint yet.`);
  }
  const path = inclusionPath(index, checkpoint.size);
  const hashOf = await nodesOfLog(ports.log, log.log, proofNodes(path));
  return proofFile(ports, planOpening(plan, full), { index, path, note: noteText(note) }, hashOf);
}

/** Where the proof of a plan will be. */
export function promisedPlanReceipt({ plan_id, stated_at }: Plan, origin: string) {
  const included_by = rfc3339(stated_at.getTime() + LOG.includedWithin);
  return { url: `/api/v1/agent/plans/${plan_id}/receipt`, origin, included_by };
}

/** The leaf of a plan, in every log that has it. */
export function leafOfPlan(plan: Plan): LogLeaf & { readonly t: 'plan' } {
  const { leaf } = planLeaf(plan, { sha256 });
  if (leaf.t !== 'plan') throw new TypeError('A plan has a leaf of its own type.');
  return { ...leaf, t: leaf.t };
}

function planOpening(plan: Plan, full: boolean): PlanOpening {
  const { salt, statement } = openedPlan(plan);
  const { producer, owner_id, agent_id } = plan;
  return { v: 1, leaf: leafOfPlan(plan), salt, statement, producer, ...(full && { owner: { owner_id, agent_id } }) };
}

/** @throws Problem UNAUTHORIZED for a request that began before the account was removed, once the plan is empty */
export function openedPlan({ plan_id, opened }: Plan): OpenedPlan {
  if (opened) return opened;
  throw new Problem('UNAUTHORIZED', `The owner of the plan ${plan_id} was erased.`, {
    suggestion: 'Create a new account.',
  });
}
