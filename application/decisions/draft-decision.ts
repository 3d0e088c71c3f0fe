import { randomBytes } from 'node:crypto';
import type { KeyCaller } from '../../domain/caller.ts';
import { coinOf } from '../../domain/circuits/coin.ts';
import { cohortKey } from '../../domain/cohorts/cohort-key.ts';
import type { AdmittedSubmission } from '../../domain/decisions/submission/admit-submission.ts';
import type { DecisionDraft } from '../../domain/decisions/submission/decision-intake.ts';
import type { Idempotency } from '../../domain/decisions/submission/idempotency.ts';
import { analysisClass, type Submission } from '../../domain/decisions/submission/submission.ts';
import { METHOD_OF_NEW_RECORDS } from '../../domain/grading/method.ts';
import { settlesAt } from '../../domain/grading/windows/settling.ts';
import { windowAt } from '../../domain/grading/windows/window.ts';
import type { Millis } from '../../domain/time.ts';
import type { Settings } from '../ports.ts';
import { type KeptSettings, keptNetwork } from '../quotas/keep.ts';

/** What a submit needs besides the values. */
export interface SubmitRequest {
  readonly agent: KeyCaller & { readonly agent_id: string };
  readonly submission: Submission;
  /** The body as sent, in RFC 8785 form. */
  readonly canonical: string;
  readonly idempotency: Idempotency | null;
  /** As addresses are counted. */
  readonly network: string;
}

/** The draft of an admitted submission. */
export function draftDecision(
  request: SubmitRequest,
  admission: AdmittedSubmission,
  settings: KeptSettings & Pick<Settings, 'refuseTrippedSubmits'>,
): DecisionDraft {
  const { agent, submission, canonical, idempotency } = request;
  const { direction, horizon_kind, horizon_value } = submission;
  const call = {
    instrument: admission.instrument,
    direction,
    horizon_kind,
    horizon_value,
    analysis_class: analysisClass(submission),
  };
  return {
    ...admission,
    ...call,
    owner_id: agent.owner_id,
    agent_id: agent.agent_id,
    key_prefix: agent.key_prefix,
    submitted_symbol: submission.symbol.trim().toUpperCase(),
    perspective_type: submission.perspective_type ?? null,
    confidence: submission.confidence ?? null,
    coin: coinOf(admission.instrument),
    refuse_tripped: settings.refuseTrippedSubmits,
    cohort_key: cohortKey(call, false),
    isolated_cohort_key: cohortKey(call, true),
    related: submission.related_records ?? [],
    idempotency,
    limits: settings.limits,
    network: keptNetwork(settings.sessionSecret, request.network),
    method: METHOD_OF_NEW_RECORDS.name,
    body: canonical,
    salt: randomBytes(32),
    settles_after: settlesAfter(admission),
  };
}

/** By the finest source; the evaluation computes it again once the instrument's own is known. */
function settlesAfter({ instrument, plan, planned_at }: AdmittedSubmission): Millis {
  const { end_time } = windowAt(plan, planned_at.getTime());
  return settlesAt(instrument, { end_time, bar_size: plan.bar_size, cadence: 'continuous' }) - planned_at.getTime();
}
