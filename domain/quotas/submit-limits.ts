import type { LimitRefusal } from '../decisions/submission/decision-intake.ts';
import type { SubmitLimits } from '../limits.ts';
import type { ProblemCode } from '../problem.ts';
import { type Cooldown, heldBack } from './cooldown.ts';
import { countRetroactive } from './retroactive-quota.ts';
import { countSubmission } from './submit-frequency.ts';

/** The stored counts of accepted submissions that limit a new one. */
export interface SubmitCounts {
  /** The cooldown of the same agent, market, symbol and direction. */
  readonly cooldown: Cooldown | null;
  /** Submissions of the agent in the UTC hour of the new one. */
  readonly submitsThisHour: number;
  /** Retroactive submissions of the owner in the UTC day of the new one. */
  readonly retroactiveToday: number;
}

/** A submission at `now`, as far as its limits are concerned. */
export interface LimitedSubmission {
  readonly retroactive: boolean;
  readonly limits: SubmitLimits;
}

/** The codes of the limits' refusals, in the order in which the limits are judged (settled.md section 4). */
export const LIMIT_CODES = {
  frequency: 'SUBMIT_FREQUENCY_EXCEEDED',
  cooldown: 'DUPLICATE_SUBMISSION',
  retroactive_quota: 'RETROACTIVE_QUOTA_EXCEEDED',
} as const satisfies Readonly<Record<LimitRefusal['verdict'], ProblemCode>>;

export type LimitVerdict =
  /** `counts` are those to store with the record. */
  { readonly verdict: 'admitted'; readonly counts: SubmitCounts } | LimitRefusal;

/** Every limit that refuses the submission at `now`, in the order of judgement: the first is the verdict. */
export function limitRefusals(before: SubmitCounts, submission: LimitedSubmission, now: Date): LimitRefusal[] {
  const { retroactive, limits } = submission;
  const frequency = countSubmission(before.submitsThisHour, limits.submitsPerHour, now);
  const held = heldBack(before.cooldown, limits.cooldownSeconds, now);
  const quota = retroactive ? countRetroactive(before.retroactiveToday, limits.retroactivePerDay, now) : null;
  return [
    ...(frequency.admitted ? [] : [refusal('frequency', frequency)]),
    ...(held ? [{ verdict: 'cooldown' as const, ...held }] : []),
    ...(!quota || quota.admitted ? [] : [refusal('retroactive_quota', quota)]),
  ];
}

/**
 * Judges submit frequency, cooldown and retroactive quota, in this order (settled.md section 4).
 * @param record_id of the record to write if the submission is admitted
 */
export function judgeSubmitLimits(
  before: SubmitCounts,
  submission: LimitedSubmission & { readonly record_id: string },
  now: Date,
): LimitVerdict {
  const [refused] = limitRefusals(before, submission, now);
  if (refused) return refused;
  const { record_id, retroactive, limits } = submission;
  const counts = {
    cooldown: limits.cooldownSeconds > 0 ? { last_at: now, record_id } : before.cooldown,
    submitsThisHour: before.submitsThisHour + 1,
    retroactiveToday: before.retroactiveToday + (retroactive ? 1 : 0),
  };
  return { verdict: 'admitted', counts };
}

function refusal(
  verdict: 'frequency' | 'retroactive_quota',
  { retry_after_seconds }: Pick<LimitRefusal, 'retry_after_seconds'>,
): LimitRefusal {
  return { verdict, retry_after_seconds };
}
