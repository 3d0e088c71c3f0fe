import { randomBytes } from 'node:crypto';
import { questionOf } from '../../domain/cohorts/cohort-filter.ts';
import { uuidV7 } from '../../domain/identifiers.ts';
import { LOG, PLAN } from '../../domain/limits.ts';
import { planLeaf } from '../../domain/log/batch.ts';
import type { LogLeaf } from '../../domain/log/leaves/leaf.ts';
import type { PlanOpening } from '../../domain/log/leaves/opening.ts';
import type { OpenedPlan, Plan } from '../../domain/log/plan.ts';
import { inclusionPath, proofNodes } from '../../domain/log/tree/proof.ts';
import { type ListedPlan, newPlan, planHashes } from '../../domain/plans/plan.ts';
import { Problem } from '../../domain/problem.ts';
import { DAY, type Millis, nextUtcDay, rfc3339, SECOND } from '../../domain/time.ts';
import { type CohortQuery, readCohortFilter, symbolReading } from '../cohorts/cohort-filters.ts';
import { nodesOfLog } from '../log/append-batch.ts';
import { notesOf, proofFile } from '../log/read-proof.ts';
import { noLogKept } from '../log/read-receipt.ts';
import { type CursorPage, type CursorQuery, cutPage, sealCursor, sealedPlace } from '../page-cursor.ts';
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

type PlanPorts = Pick<Ports, 'transaction' | 'clock' | 'canonicalJson' | 'symbols' | 'names'> & {
  readonly settings: KeptSettings;
};

/**
 * States a question before its answer, for ever (docs/cohorts.md). The same query and sentence of one agent are one plan,
 * also when they are sent at once.
 * @throws Problem VALIDATION_ERROR (422), RATE_LIMIT_EXCEEDED after `PLAN.perDay`, DAILY_QUOTA_EXCEEDED, UNAUTHORIZED, ACCOUNT_SUSPENDED
 */
export async function statePlan(
  ports: PlanPorts,
  { query, sentence, network, ...who }: PlanRequest,
): Promise<StatedPlan> {
  const { filter } = readCohortFilter(await symbolReading(ports), query, 'query.');
  const stated = { query: questionOf(filter), sentence };
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
  const note = checkpoint && (await notesOf(ports, log, [checkpoint]))(checkpoint);
  if (index === null || !checkpoint || !note) {
    throw new Problem('NOT_LOGGED_YET', `The plan ${plan_id} is not in a signed checkpoint yet.`);
  }
  const path = inclusionPath(index, checkpoint.size);
  const hashOf = await nodesOfLog(ports.log, log.log, proofNodes(path));
  return proofFile(ports, planOpening(plan, full), { index, path, note }, hashOf);
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
