import type { Plan } from '../../domain/log/plan.ts';
import type { ListedPlan } from '../../domain/plans/plan-store.ts';
import { Problem } from '../../domain/problem.ts';
import { rfc3339 } from '../../domain/time.ts';
import { type CursorPage, type CursorQuery, cutPage, sealCursor, sealedPlace } from '../page-cursor.ts';
import type { Ports } from '../ports.ts';

/**
 * A page of the plans of an agent, the newest first; of all agents of the owner where `agent_id` is null. The pages of
 * one query contain each plan once, and none that is stated meanwhile.
 * @throws Problem VALIDATION_ERROR for a cursor of another query
 */
export async function listPlans(
  { plans, settings }: Pick<Ports, 'plans' | 'settings'>,
  { owner_id, agent_id }: { readonly owner_id: string; readonly agent_id: string | null },
  { cursor, limit }: CursorQuery,
): Promise<CursorPage<ListedPlan>> {
  const { sessionSecret } = settings;
  const about = ['plans', owner_id, agent_id];
  const sealed = sealedPlace(sessionSecret, about, cursor) as readonly [string, string] | null;
  const after = sealed && { stated_at: new Date(sealed[0]), plan_id: sealed[1] };
  const { rows: items, last } = await cutPage((most) => plans.list(owner_id, agent_id, after, most), limit);
  return {
    items,
    next_cursor: last ? sealCursor(sessionSecret, about, [rfc3339(last.stated_at), last.plan_id]) : null,
  };
}

/** @throws Problem NOT_FOUND for a plan that is not the owner's */
export async function findPlan({ plans }: Pick<Ports, 'plans'>, owner_id: string, plan_id: string): Promise<Plan> {
  const plan = await plans.find(owner_id, plan_id);
  if (!plan) throw new Problem('NOT_FOUND', `You have no plan ${plan_id}.`);
  return plan;
}
