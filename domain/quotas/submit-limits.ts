import type { LimitRefusal } from '../decisions/submission/decision-intake.ts';
import { type SubmitLimits, submitBytesPerHour } from '../limits.ts';
import type { ProblemCode } from '../problem.ts';
import { DAY } from '../time.ts';
import { type Cooldown, heldBack } from './cooldown.ts';
import { countInWindow } from './fixed-window.ts';
import { countRetroactive } from './retroactive-quota.ts';
import { countSubmission, fullHour } from './submit-frequency.ts';

/** The stored counts of accepted submissions that limit a new one. */
export interface SubmitCounts {
  /** The cooldown of the same agent, market, symbol and direction. */
  readonly cooldown: Cooldown | null;
  /** Submissions of the agent in the UTC hour of the new one. */
  readonly submitsThisHour: number;
  /** The bytes of their bodies. */
  readonly bytesThisHour: number;
  /** Retroactive submissions of the owner in the UTC day of the new one. */
  readonly retroactiveToday: number;
  /** Hours of agents that began with a submission from the same network in the UTC day of the new one. */
  readonly agentHoursToday: number;
}

/** A submission at `now`, as far as its limits are concerned. */
export interface LimitedSubmission {
  readonly retroactive: boolean;
  /** Of its body. */
  readonly bytes: number;
  /** Whether its network is known. */
  readonly fromNetwork: boolean;
  readonly limits: SubmitLimits;
}

/** The codes of the limits' refusals, in the order in which the limits are judged (settled.md section 4). */
export const LIMIT_CODES = {
  frequency: 'SUBMIT_FREQUENCY_EXCEEDED',
  hour_bytes: 'SUBMIT_FREQUENCY_EXCEEDED',
  cooldown: 'DUPLICATE_SUBMISSION',
  retroactive_quota: 'RETROACTIVE_QUOTA_EXCEEDED',
  network_hours: 'DAILY_QUOTA_EXCEEDED',
} as const satisfies Readonly<Record<LimitRefusal['verdict'], ProblemCode>>;

export type LimitVerdict =
  /** `counts` are those to store with the record. */
  { readonly verdict: 'admitted'; readonly counts: SubmitCounts } | LimitRefusal;

/** Every limit that refuses the submission at `now`, in the order of judgement: the first is the verdict. */
export function limitRefusals(before: SubmitCounts, submission: LimitedSubmission, now: Date): LimitRefusal[] {
  const { retroactive, limits } = submission;
  const held = heldBack(before.cooldown, limits.cooldownSeconds, now);
  const quota = retroactive ? countRetroactive(before.retroactiveToday, limits.retroactivePerDay, now) : null;
  const hours = beginsHour(before, submission)
    ? countInWindow(before.agentHoursToday, limits.agentHoursPerNetwork, DAY, now)
    : null;
  return [
    ...hourRefusal(before, submission, now),
    ...(held ? [{ verdict: 'cooldown' as const, ...held }] : []),
    ...(!quota || quota.admitted ? [] : [refusal('retroactive_quota', quota)]),
    ...(!hours || hours.admitted ? [] : [refusal('network_hours', hours)]),
  ];
}

/** Whether the network counts the agent's hour by this submission. */
function beginsHour({ submitsThisHour }: SubmitCounts, { fromNetwork }: LimitedSubmission): boolean {
  return fromNetwork && submitsThisHour === 0;
}

/** One refusal at most: both limits end with the hour, under one code. */
function hourRefusal(
  { submitsThisHour, bytesThisHour }: SubmitCounts,
  { limits, bytes }: LimitedSubmission,
  now: Date,
): LimitRefusal[] {
  const frequency = countSubmission(submitsThisHour, limits.submitsPerHour, now);
  if (!frequency.admitted) return [refusal('frequency', frequency)];
  if (bytesThisHour + bytes <= submitBytesPerHour(limits)) return [];
  const { retry_after_seconds } = fullHour(now);
  return [{ verdict: 'hour_bytes', retry_after_seconds, used_bytes: bytesThisHour }];
}

/**
 * Judges submit frequency with the bytes of the hour, cooldown, retroactive quota and the network, in this order (settled.md
 * section 4).
 * @param record_id of the record to write if the submission is admitted
 */
export function judgeSubmitLimits(
  before: SubmitCounts,
  submission: LimitedSubmission & { readonly record_id: string },
  now: Date,
): LimitVerdict {
  const [refused] = limitRefusals(before, submission, now);
  if (refused) return refused;
  const { record_id, retroactive, limits, bytes } = submission;
  const counts = {
    cooldown: limits.cooldownSeconds > 0 ? { last_at: now, record_id } : before.cooldown,
    submitsThisHour: before.submitsThisHour + 1,
    bytesThisHour: before.bytesThisHour + bytes,
    retroactiveToday: before.retroactiveToday + (retroactive ? 1 : 0),
    agentHoursToday: before.agentHoursToday + (beginsHour(before, submission) ? 1 : 0),
  };
  return { verdict: 'admitted', counts };
}

function refusal(
  verdict: 'frequency' | 'retroactive_quota' | 'network_hours',
  { retry_after_seconds }: Pick<LimitRefusal, 'retry_after_seconds'>,
): LimitRefusal {
  return { verdict, retry_after_seconds };
}
