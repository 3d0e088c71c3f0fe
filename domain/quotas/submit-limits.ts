import type { LimitRefusal } from '../decisions/submission/decision-intake.ts';
import { type SubmitLimits, submitBytesPerHour } from '../limits.ts';
import type { ProblemCode } from '../problem.ts';
import { DAY, HOUR, type Millis, SECOND, windowStart } from '../time.ts';

/** The stored counts of accepted submissions that limit a new one. */
export interface SubmitCounts {
  /** The cooldown of the same agent, market, symbol and direction. */
  readonly cooldown: Cooldown | null;
  /** The UTC hour that counts the new one. */
  readonly hour: Date;
  /** Submissions of the agent in that hour. */
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
  /** Of its body; of a decision group those of all of its decisions. */
  readonly bytes: number;
  /** The decisions of a decision group, each of which counts; 1 without. */
  readonly decisions?: number;
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
  const { retroactive, limits, decisions } = submission;
  const held = activeCooldown(before.cooldown, limits.cooldownSeconds, now);
  const quota = retroactive
    ? countRetroactive(before.retroactiveToday, limits.retroactivePerDay, now, decisions)
    : null;
  const hours = beginsHour(before, submission)
    ? countInWindow(before.agentHoursToday, limits.agentHoursPerNetwork, DAY, now)
    : null;
  return [
    ...hourRefusal(before, submission, now),
    ...(held ? [{ verdict: 'cooldown' as const, ...held }] : []),
    ...(!quota || quota.admitted
      ? []
      : [refusal('retroactive_quota', quota, leftOf(limits.retroactivePerDay, before.retroactiveToday, decisions))]),
    ...(!hours || hours.admitted ? [] : [refusal('network_hours', hours)]),
  ];
}

/** Whether the network counts the agent's hour by this submission. */
function beginsHour({ submitsThisHour }: SubmitCounts, { fromNetwork }: LimitedSubmission): boolean {
  return fromNetwork && submitsThisHour === 0;
}

/** One refusal at most: both limits end with the hour, under one code. */
function hourRefusal(
  { hour, submitsThisHour, bytesThisHour }: SubmitCounts,
  { limits, bytes, decisions = 1 }: LimitedSubmission,
  now: Date,
): LimitRefusal[] {
  const retry_after_seconds = Math.ceil((hour.getTime() + HOUR - now.getTime()) / SECOND);
  if (submitsThisHour + decisions > limits.submitsPerHour)
    return [refusal('frequency', { retry_after_seconds }, leftOf(limits.submitsPerHour, submitsThisHour, decisions))];
  if (bytesThisHour + bytes <= submitBytesPerHour(limits)) return [];
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
  const { record_id, retroactive, limits, bytes, decisions = 1 } = submission;
  const counts = {
    hour: before.hour,
    cooldown: limits.cooldownSeconds > 0 ? { last_at: now, record_id } : before.cooldown,
    submitsThisHour: before.submitsThisHour + decisions,
    bytesThisHour: before.bytesThisHour + bytes,
    retroactiveToday: before.retroactiveToday + (retroactive ? decisions : 0),
    agentHoursToday: before.agentHoursToday + (beginsHour(before, submission) ? 1 : 0),
  };
  return { verdict: 'admitted', counts };
}

function refusal(
  verdict: 'frequency' | 'retroactive_quota' | 'network_hours',
  { retry_after_seconds }: Pick<LimitRefusal, 'retry_after_seconds'>,
  left: { readonly left?: number } = {},
): LimitRefusal {
  return { verdict, retry_after_seconds, ...left };
}

/** A group may be accepted with fewer horizons; for a single decision nothing is left. */
function leftOf(limit: number, used: number, decisions = 1): { readonly left?: number } {
  return decisions > 1 ? { left: Math.max(0, limit - used) } : {};
}

/** The newest accepted submission of one agent, market, symbol and direction. */
export interface Cooldown {
  readonly last_at: Date;
  readonly record_id: string;
}

/** The record that holds the cooldown, and the whole seconds until it ends. */
export interface ActiveCooldown {
  readonly record_id: string;
  readonly retry_after_seconds: number;
}

/**
 * Whether the cooldown refuses a submission at `now`: it does for `cooldownSeconds` after the last accepted one,
 * excluding their very end; 0 turns it off (interface.md section 8). When the clock was set back, it lasts until the
 * clock has passed that end again. Null when it does not refuse.
 * @param last null when there is none
 */
export function activeCooldown(last: Cooldown | null, cooldownSeconds: number, now: Date): ActiveCooldown | null {
  if (last === null || cooldownSeconds === 0) return null;
  const remaining = last.last_at.getTime() + cooldownSeconds * SECOND - now.getTime();
  return remaining <= 0 ? null : { record_id: last.record_id, retry_after_seconds: Math.ceil(remaining / SECOND) };
}

/** The UTC day, by its start, that counts a retroactive submission received at `now`. */
export function retroactiveDay(now: Date): Date {
  return windowStart(now, DAY);
}

/**
 * Counts a retroactive submission of an owner in its UTC day, up to `retroactivePerDay` accepted ones (settled.md
 * section 4).
 * @param used the accepted retroactive submissions of that day so far
 */
export function countRetroactive(
  used: number,
  retroactivePerDay: number,
  now: Date,
  decisions = 1,
): AdmittedByWindow | RefusedByWindow {
  return countInWindow(used, retroactivePerDay, DAY, now, decisions);
}

/** The UTC hour that counts a submission received at `now`. */
export function submitHour(now: Date): Date {
  return windowStart(now, HOUR);
}

/** The accepted submissions of an agent in its newest hour. */
export interface HourCounts {
  readonly hour: Date;
  readonly used: number;
  /** Of their bodies. */
  readonly bytes: number;
}

/**
 * What counts against a submission of an hour: the counts of the same hour, or of a later one, which may begin while a
 * submission waits for its turn, or before the clock was set back: no hour begins anew. One that is more than a day ahead
 * counts nothing, so that a clock which was far ahead once locks nobody out.
 */
export function countedHour(newest: HourCounts | undefined, hour: Date): HourCounts {
  const ahead = (newest?.hour.getTime() ?? Number.NaN) - hour.getTime();
  return newest && ahead >= 0 && ahead <= DAY ? newest : { hour, used: 0, bytes: 0 };
}

/** Whole seconds, at least 1, until the fixed window of that length that contains `at` ends. */
function secondsToWindowEnd(at: Date, length: Millis): number {
  return Math.ceil((windowStart(at, length).getTime() + length - at.getTime()) / SECOND);
}

/** A refusal of one more, and the whole seconds until another attempt may succeed. */
interface RefusedByWindow {
  readonly admitted: false;
  readonly retry_after_seconds: number;
}

/** The count of the window, including the admitted one. */
interface AdmittedByWindow {
  readonly admitted: true;
  readonly used: number;
}

/** Admits some more into the window that contains `now` if it has at most `limit` with all of them; a limit of 0 admits none. */
function countInWindow(
  used: number,
  limit: number,
  length: Millis,
  now: Date,
  more = 1,
): AdmittedByWindow | RefusedByWindow {
  if (used + more <= limit) return { admitted: true, used: used + more };
  return { admitted: false, retry_after_seconds: secondsToWindowEnd(now, length) };
}
