import { randomBytes } from 'node:crypto';
import type { KeyCaller } from '../../domain/caller.ts';
import { coinOf } from '../../domain/circuits/coin.ts';
import { cohortKey } from '../../domain/cohorts/cohort-key.ts';
import type { AdmittedSubmission, SubmissionFaults } from '../../domain/decisions/submission/admit-submission.ts';
import type {
  DecisionDraft,
  LimitRefusal,
  Refused,
  RefusedRelation,
} from '../../domain/decisions/submission/decision-intake.ts';
import type { Idempotency } from '../../domain/decisions/submission/receipt.ts';
import { refusedRelations, relationFaults } from '../../domain/decisions/submission/relations.ts';
import { analysisClass, type RelatedRecord, type Submission } from '../../domain/decisions/submission/submission.ts';
import { METHOD_OF_NEW_RECORDS } from '../../domain/grading/method.ts';
import { settlesAt } from '../../domain/grading/windows/settling.ts';
import { windowAt } from '../../domain/grading/windows/window.ts';
import { type SubmitLimits, submitBytesPerHour } from '../../domain/limits.ts';
import { Problem, type ProblemDetail } from '../../domain/problem.ts';
import { type ActiveCooldown, LIMIT_CODES } from '../../domain/quotas/submit-limits.ts';
import type { Millis } from '../../domain/time.ts';
import type { Ports, Settings } from '../ports.ts';
import { type KeptSettings, keptNetwork } from '../quotas/keep.ts';

const LIMIT_MESSAGES: Readonly<Record<Exclude<LimitRefusal['verdict'], 'hour_bytes' | 'network_hours'>, string>> = {
  frequency: 'The agent has used up its submissions of this hour.',
  cooldown: 'The agent has just submitted this symbol and direction; another horizon or other data make no difference.',
  retroactive_quota: "The owner's retroactive submissions of today are used up.",
};

const HELD =
  'Wait retry_after_seconds, or send another symbol or direction. Send several horizons of one decision as one group: ' +
  'POST /api/v1/agent/decision-groups.';

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

/** What related records are judged by; a decision group has it without a horizon. */
interface RelatedRequest extends Pick<SubmitRequest, 'agent'> {
  readonly submission: Pick<Submission, 'data_cutoff' | 'related_records'>;
}

/** Refuses values with all of their faults at once: related records are checked here as well. */
export async function refuseValues(ports: Ports, request: RelatedRequest, refusal: SubmissionFaults): Promise<never> {
  const relations = await unseenRelations(ports, request, refusal.faults);
  const faults = [...refusal.faults, ...relations];
  if (refusal.symbol_advice !== null && relations.length === 0) {
    const options = { details: faults, suggestion: refusal.symbol_advice };
    throw new Problem('INVALID_SYMBOL', 'No stock with this ticker is known.', options);
  }
  throw valueProblem(faults);
}

/** Refuses with the verdict of the write. Never returns. */
export function refuseVerdict(verdict: Refused, limits: SubmitLimits, related: readonly RelatedRecord[] = []): never {
  switch (verdict.verdict) {
    case 'key_revoked':
      throw new Problem('UNAUTHORIZED', 'The API key has been revoked.');
    case 'key_expired':
      throw new Problem('KEY_EXPIRED', 'The API key has expired.');
    case 'key_read_only':
      throw new Problem('FORBIDDEN', 'The API key has been set to read_only.', {
        suggestion: 'Use a key of mode read_write.',
      });
    case 'key_reused':
      throw new Problem('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was sent before with another body.');
    case 'related_refused':
      throw relationProblem(related, verdict.refused);
    case 'circuit_open':
      throw new Problem('STABLECOIN_CIRCUIT_OPEN', 'The quote currency has left its peg, so its circuit is tripped.');
    default:
      throw limitProblem(verdict, limits);
  }
}

function limitProblem(refusal: LimitRefusal, limits: SubmitLimits): Problem {
  const { verdict, retry_after_seconds } = refusal;
  if (verdict === 'hour_bytes') return hourProblem(refusal, limits);
  if (verdict === 'network_hours') return networkProblem(retry_after_seconds, limits);
  const held = verdict === 'cooldown' ? { details: [holder(refusal)], suggestion: HELD } : {};
  return new Problem(LIMIT_CODES[verdict], LIMIT_MESSAGES[verdict], { retry_after_seconds, ...held });
}

/** A smaller body may still be accepted in the same hour. */
function hourProblem(
  { used_bytes, retry_after_seconds }: Extract<LimitRefusal, { verdict: 'hour_bytes' }>,
  limits: SubmitLimits,
): Problem {
  const most = submitBytesPerHour(limits);
  const message = `An agent may submit bodies of ${most} bytes in a UTC hour; ${used_bytes} bytes are used in this one.`;
  const left = Math.max(0, most - used_bytes);
  const suggestion = `Wait for the next UTC hour, or send a body of at most ${left} bytes.`;
  return new Problem(LIMIT_CODES.hour_bytes, message, { retry_after_seconds, suggestion });
}

function networkProblem(retry_after_seconds: number, { agentHoursPerNetwork: most }: SubmitLimits): Problem {
  const message = `Agents of one network may submit in ${most} of their hours a UTC day; all of them are used today.`;
  const suggestion = 'Wait for 00:00 UTC, or ask the operator for a larger LIMIT_AGENT_HOURS_PER_NETWORK.';
  return new Problem(LIMIT_CODES.network_hours, message, { retry_after_seconds, suggestion });
}

function holder({ record_id, retry_after_seconds }: ActiveCooldown): ProblemDetail {
  return { path: 'symbol', message: `The cooldown of this record ends in ${retry_after_seconds} s.`, record_id };
}

/** The 422 of related records that cannot be pointed to. */
export function relationProblem(related: readonly RelatedRecord[], refused: readonly RefusedRelation[]): Problem {
  return valueProblem(relationFaults(related, refused));
}

function valueProblem(details: readonly ProblemDetail[]): Problem {
  const fields = details.length === 1 ? 'One value is' : `${details.length} values are`;
  return new Problem('VALIDATION_ERROR', `${fields} outside what can be accepted.`, { status: 422, details });
}

async function unseenRelations(
  { decisions }: Ports,
  { agent, submission }: RelatedRequest,
  faults: readonly ProblemDetail[],
): Promise<ProblemDetail[]> {
  const related = submission.related_records ?? [];
  if (related.length === 0 || faults.some(({ path }) => path.startsWith('related_records'))) return [];
  const ids = related.map(({ record_id }) => record_id);
  const targets = await decisions.find(ids, null);
  const source = { ...agent, data_cutoff: new Date(submission.data_cutoff), related };
  return relationFaults(related, refusedRelations(source, targets));
}
