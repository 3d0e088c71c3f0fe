import { randomBytes } from 'node:crypto';
import { questionOf } from '../../domain/cohorts/question.ts';
import { uuidV7 } from '../../domain/identifiers.ts';
import { PLAN } from '../../domain/limits.ts';
import type { Plan } from '../../domain/log/plan.ts';
import { newPlan, planHashes } from '../../domain/plans/plan.ts';
import { Problem } from '../../domain/problem.ts';
import { DAY, type Millis, nextUtcDay, rfc3339, SECOND } from '../../domain/time.ts';
import { type CohortQuery, cohortFilter } from '../cohorts/cohort-filters.ts';
import type { Ports } from '../ports.ts';
import { type KeptSettings, keep } from '../quotas/keep.ts';
import { sha256 } from '../sha256.ts';

/** What an agent intends to ask, and what it expects. */
export interface PlanRequest {
  readonly owner_id: string;
  readonly agent_id: string;
  /** As addresses are counted. */
  readonly network: string;
  readonly query: Omit<CohortQuery, 'as_of' | 'sort' | 'limit' | 'cursor'>;
  readonly sentence: string;
}

export interface StatedPlan {
  readonly plan: Plan;
  /** The agent had stated the same before. */
  readonly existed: boolean;
}

type PlanPorts = Pick<Ports, 'transaction' | 'clock' | 'canonicalJson'> & { readonly settings: KeptSettings };

/**
 * States a question before its answer, for ever (docs/cohorts.md). The same query and sentence of one agent are one plan,
 * also when they are sent at once.
 * @throws Problem VALIDATION_ERROR (422), RATE_LIMIT_EXCEEDED after `PLAN.perDay`, DAILY_QUOTA_EXCEEDED, UNAUTHORIZED, ACCOUNT_SUSPENDED
 */
export async function statePlan(
  ports: PlanPorts,
  { query, sentence, network, ...who }: PlanRequest,
): Promise<StatedPlan> {
  const stated = { query: questionOf(cohortFilter(query, 'query.')), sentence };
  const stated_at = await ports.clock.now();
  const midnight = nextUtcDay(stated_at.getTime());
  const hashes = planHashes(stated, ports.canonicalJson, sha256);
  return ports.transaction(async ({ plans, kept }) => {
    const {
      existing,
      asked_before,
      stated: count,
    } = await plans.ground({ ...who, ...hashes }, new Date(midnight - DAY));
    if (existing) return { plan: existing, existed: true };
    if (count >= PLAN.perDay) throw tooMany(stated_at, midnight);
    const plan_id = uuidV7(stated_at, randomBytes(10));
    const draft = { ...who, ...stated, plan_id, stated_at, asked_before };
    const plan = newPlan(draft, hashes, randomBytes(32), ports.canonicalJson, sha256);
    await plans.add(plan);
    const bytes = Buffer.byteLength(plan.opened?.statement ?? '');
    await keep({ kept }, ports.settings, { owner_id: who.owner_id, network }, 'plan', { bytes });
    return { plan, existed: false };
  });
}

function tooMany(at: Date, midnight: Millis): Problem {
  return new Problem('RATE_LIMIT_EXCEEDED', `${PLAN.perDay} plans were stated today, the most of a UTC day.`, {
    retry_after_seconds: (midnight - at.getTime()) / SECOND,
    suggestion: `State the next one after ${rfc3339(midnight)}.`,
  });
}
