import type { SubmissionOrigin, Window } from '../../domain/decisions/call.ts';
import { admitSubmission, type Listings } from '../../domain/decisions/submission/admit-submission.ts';
import {
  contextWarnings,
  type DecisionDraft,
  type LimitRefusal,
  type Preview,
  type Refused,
  type Taken,
} from '../../domain/decisions/submission/decision-intake.ts';
import {
  type AcceptedReply,
  acceptedReply,
  type Receipt,
  repetitionOf,
  type Warning,
  warnings,
} from '../../domain/decisions/submission/receipt.ts';
import { windowAt } from '../../domain/grading/windows/window.ts';
import type { Instrument } from '../../domain/market/instrument.ts';
import { Problem, type ProblemDetail } from '../../domain/problem.ts';
import { LIMIT_CODES } from '../../domain/quotas/submit-limits.ts';
import { currentNames, knownNames, newestNames } from '../market/names.ts';
import type { Ports } from '../ports.ts';
import { draftDecision, refuseValues, refuseVerdict, relationProblem, type SubmitRequest } from './draft-decision.ts';
import { withPriceWarnings } from './price-gaps.ts';

export interface Submitted {
  readonly reply: AcceptedReply;
  /** The reply was recorded by an earlier request with the same idempotency key. */
  readonly replayed: boolean;
}

/** A plan fails only when its interval ends between two statements; more failures in a row mean a faulty clock. */
export const REPLANS = 5;

/**
 * Accepts a decision for ever, or refuses it (interface.md 4.2, settled.md section 4). The values are judged by the
 * database's clock as last seen; the write judges the rest and reports when that clock has left the plan's interval.
 * @param shapeFaults invalid values that the request parser has found already; returned together with the others
 * @throws Problem VALIDATION_ERROR (422), INVALID_SYMBOL, IDEMPOTENCY_KEY_REUSED, STABLECOIN_CIRCUIT_OPEN,
 * SUBMIT_FREQUENCY_EXCEEDED, DUPLICATE_SUBMISSION, RETROACTIVE_QUOTA_EXCEEDED, DAILY_QUOTA_EXCEEDED, UNAUTHORIZED, SERVICE_UNAVAILABLE
 */
export async function submitDecision(
  ports: Ports,
  request: SubmitRequest,
  shapeFaults: readonly ProblemDetail[] = [],
): Promise<Submitted> {
  let at = await ports.clock.lastSeen();
  let fresh = false;
  for (let tries = 0; tries < REPLANS; tries++) {
    const admission = admitSubmission(request.submission, listingsOf(ports), at, shapeFaults);
    if (!('faults' in admission)) {
      const warned = await withPriceWarnings(ports, request.submission, admission);
      const verdict = await ports.intake.submit(draftDecision(request, warned, ports.settings));
      if (verdict.verdict !== 'replan') return answer(ports, request, verdict);
      at = verdict.received_at;
      await newestNames(ports.names);
    } else if (fresh) {
      return refuseValues(ports, request, admission);
    } else {
      // The idempotency key is judged before the values, and the values by the clock at that time.
      const recorded = await replayOf(ports, request);
      if (recorded) return recorded;
      at = await ports.clock.now();
      // What is refused for its symbol may have got a name elsewhere.
      await newestNames(ports.names);
    }
    fresh = true;
  }
  throw new Problem('SERVICE_UNAVAILABLE', 'The clock moved while the decision was being written.');
}

/** With the names as this process knows them; the write refuses a plan by older ones. */
export function listingsOf({ symbols, venues, names }: Ports): Listings {
  return { symbols, venues, names: knownNames(names) };
}

async function replayOf(ports: Ports, request: SubmitRequest): Promise<Submitted | null> {
  const { agent, idempotency } = request;
  const recorded = idempotency && (await ports.intake.recorded(agent.agent_id, idempotency.key));
  const repetition = repetitionOf(idempotency, recorded);
  return repetition && answer(ports, request, repetition);
}

function answer(ports: Ports, request: SubmitRequest, verdict: Taken | Refused): Submitted {
  if ('receipt' in verdict) {
    if (verdict.verdict === 'accepted') wakeSweeps(ports, verdict.receipt);
    return { reply: acceptedReply(verdict.receipt), replayed: verdict.verdict === 'replayed' };
  }
  return refuseVerdict(verdict, ports.settings.limits, request.submission.related_records);
}

/** A record that waits for neither verification nor prices is graded within seconds. */
export function wakeSweeps({ wake }: Ports, { lifecycle_state, settles_at, submission_time }: Receipt): void {
  if (lifecycle_state === 'pending_verify') wake('verify-instruments');
  else if (settles_at <= submission_time) wake('evaluate-due');
}

/** The 200 of `validate_only` (settled.md section 4). */
export interface PreviewReply {
  readonly valid: true;
  readonly normalized: Instrument & { readonly cohort_key: string };
  readonly submission_origin: SubmissionOrigin;
  readonly window: Window;
  /** Every limit that refuses this submission now, in the order of judgement; a submission gets the first one. */
  readonly would_wait: readonly {
    readonly code: (typeof LIMIT_CODES)[LimitRefusal['verdict']];
    /** Whole seconds, at least 1. */
    readonly retry_after_seconds: number;
  }[];
  /** DUPLICATE_SUBMISSION of `would_wait`, with the record that holds the cooldown. */
  readonly cooldown: {
    readonly active: boolean;
    readonly retry_after_seconds: number | null;
    readonly record_id: string | null;
  };
  readonly warnings: readonly Warning[];
}

/**
 * Refuses as a submit would and changes nothing; frequency, cooldown and retroactive quota are reported instead of
 * enforced (settled.md section 14), and idempotency keys are neither read nor written (section 4).
 * @throws Problem VALIDATION_ERROR (422), INVALID_SYMBOL, STABLECOIN_CIRCUIT_OPEN
 */
export async function previewDecision(
  ports: Ports,
  request: SubmitRequest,
  shapeFaults: readonly ProblemDetail[] = [],
): Promise<PreviewReply> {
  await currentNames(ports.names);
  const admission = admitSubmission(request.submission, listingsOf(ports), await ports.clock.now(), shapeFaults);
  if ('faults' in admission) return refuseValues(ports, request, admission);
  const warned = await withPriceWarnings(ports, request.submission, admission);
  const draft = draftDecision(request, warned, ports.settings);
  const preview = await ports.intake.preview(draft);
  if (preview.refused.length > 0) throw relationProblem(draft.related, preview.refused);
  if (preview.circuit_state === 'tripped' && draft.refuse_tripped)
    return refuseVerdict({ verdict: 'circuit_open' }, draft.limits);
  return previewReply(draft, preview);
}

export function previewReply(draft: DecisionDraft, preview: Preview): PreviewReply {
  const { anchor_time, end_time } = windowAt(draft.plan, draft.planned_at.getTime());
  const held = preview.would_wait.find((refusal) => refusal.verdict === 'cooldown');
  const isolated = preview.circuit_state !== 'normal';
  return {
    valid: true,
    normalized: { ...draft.instrument, cohort_key: isolated ? draft.isolated_cohort_key : draft.cohort_key },
    submission_origin: draft.plan.origin,
    window: { anchor_time: new Date(anchor_time), end_time: new Date(end_time) },
    would_wait: preview.would_wait.map(({ verdict, retry_after_seconds }) => ({
      code: LIMIT_CODES[verdict],
      retry_after_seconds,
    })),
    cooldown: {
      active: held !== undefined,
      retry_after_seconds: held?.retry_after_seconds ?? null,
      record_id: held?.record_id ?? null,
    },
    warnings: warnings([...draft.warnings, ...contextWarnings(draft, preview)]),
  };
}
