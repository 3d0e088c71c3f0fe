import type { SubmitLimits } from '../limits.ts';
import { type Cooldown, type HeldBack, heldBack } from './cooldown.ts';
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

/** A submission that would be written at `now`. */
export interface LimitedSubmission {
  readonly record_id: string;
  readonly retroactive: boolean;
  readonly limits: SubmitLimits;
}

export type LimitVerdict =
  /** `counts` are those to store with the record. */
  | { readonly verdict: 'admitted'; readonly counts: SubmitCounts }
  | { readonly verdict: 'frequency' | 'retroactive_quota'; readonly retry_after_seconds: number }
  | ({ readonly verdict: 'cooldown' } & HeldBack);

/** Judges submit frequency, cooldown and retroactive quota, in this order (settled.md section 4). */
export function judgeSubmitLimits(before: SubmitCounts, submission: LimitedSubmission, now: Date): LimitVerdict {
  const { record_id, retroactive, limits } = submission;
  const frequency = countSubmission(before.submitsThisHour, limits.submitsPerHour, now);
  if (!frequency.admitted) return { verdict: 'frequency', retry_after_seconds: frequency.retry_after_seconds };
  const held = heldBack(before.cooldown, limits.cooldownSeconds, now);
  if (held) return { verdict: 'cooldown', ...held };
  const quota = retroactive ? countRetroactive(before.retroactiveToday, limits.retroactivePerDay, now) : null;
  if (quota && !quota.admitted) {
    return { verdict: 'retroactive_quota', retry_after_seconds: quota.retry_after_seconds };
  }
  const counts = {
    cooldown: limits.cooldownSeconds > 0 ? { last_at: now, record_id } : before.cooldown,
    submitsThisHour: frequency.used,
    retroactiveToday: quota?.used ?? before.retroactiveToday,
  };
  return { verdict: 'admitted', counts };
}
