import type { SubmissionOrigin, Window } from '../../domain/decisions/call.ts';
import { admitSubmission } from '../../domain/decisions/submission/admit-submission.ts';
import type { DecisionDraft, LimitRefusal, Preview } from '../../domain/decisions/submission/decision-intake.ts';
import { type Warning, warnings } from '../../domain/decisions/submission/receipt.ts';
import { contextWarnings } from '../../domain/decisions/submission/submission-context.ts';
import { windowAt } from '../../domain/grading/windows/window.ts';
import type { Instrument } from '../../domain/market/instrument.ts';
import type { ProblemDetail } from '../../domain/problem.ts';
import { LIMIT_CODES } from '../../domain/quotas/submit-limits.ts';
import type { Ports } from '../ports.ts';
import { draftDecision, type SubmitRequest } from './draft-decision.ts';
import { withPriceWarnings } from './price-gaps.ts';
import { refuseValues, refuseVerdict, relationProblem } from './refuse-submission.ts';

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
  const admission = admitSubmission(request.submission, ports, await ports.clock.now(), shapeFaults);
  if ('faults' in admission) return refuseValues(ports, request, admission);
  const warned = await withPriceWarnings(ports, request.submission, admission);
  const draft = draftDecision(request, warned, ports.settings);
  const preview = await ports.intake.preview(draft);
  if (preview.refused.length > 0) throw relationProblem(draft.related, preview.refused);
  if (preview.circuit_state === 'tripped' && draft.refuse_tripped)
    return refuseVerdict({ verdict: 'circuit_open' }, draft.limits);
  return previewReply(draft, preview);
}

function previewReply(draft: DecisionDraft, preview: Preview): PreviewReply {
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
