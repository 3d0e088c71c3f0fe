import { MINUTE, type Millis, SECOND, windowStart } from '../time.ts';

/** Requests of one subject that are admitted per fixed calendar window; null: that window is not limited. */
export interface RateLimits {
  readonly per_second: number | null;
  readonly per_minute: number;
}

/** The last second and the last minute in which a request of the subject was counted, in UTC. */
export interface RateWindows {
  readonly second_start: Date;
  readonly second_used: number;
  readonly minute_start: Date;
  readonly minute_used: number;
}

/** What replies show to a client of its windows (settled.md section 7). */
export interface RateState {
  /** Per minute. */
  readonly limit: number;
  /** What the smaller of both windows still admits. */
  readonly remaining: number;
  /** The end of that window. */
  readonly reset: Date;
}

/**
 * Counts one request, in both windows or in none. A window never goes back: when the clock was set back, the last
 * window continues to count.
 */
export function countRequest(
  before: RateWindows | null,
  limits: RateLimits,
  now: Date,
): { readonly admitted: boolean; readonly windows: RateWindows; readonly state: RateState } {
  const windows = windowsAt(before, now);
  const admitted = left(windows, limits).every((remaining) => remaining > 0);
  if (!admitted) return { admitted, windows, state: rateState(windows, limits) };
  const { second_used, minute_used } = windows;
  const counted = { ...windows, second_used: second_used + 1, minute_used: minute_used + 1 };
  return { admitted, windows: counted, state: rateState(counted, limits) };
}

function windowsAt(before: RateWindows | null, now: Date): RateWindows {
  const [second, minute] = [windowStart(now, SECOND), windowStart(now, MINUTE)];
  const sameSecond = before !== null && before.second_start >= second;
  const sameMinute = before !== null && before.minute_start >= minute;
  return {
    second_start: sameSecond ? before.second_start : second,
    second_used: sameSecond ? before.second_used : 0,
    minute_start: sameMinute ? before.minute_start : minute,
    minute_used: sameMinute ? before.minute_used : 0,
  };
}

function left(windows: RateWindows, { per_second, per_minute }: RateLimits): [seconds: number, minutes: number] {
  return [per_second === null ? Infinity : per_second - windows.second_used, per_minute - windows.minute_used];
}

/** When both windows have the same number remaining, this is the minute: it still holds when the second is over. */
export function rateState(windows: RateWindows, limits: RateLimits): RateState {
  const [seconds, minutes] = left(windows, limits);
  const end = minutes <= seconds ? endOf(windows.minute_start, MINUTE) : endOf(windows.second_start, SECOND);
  return { limit: limits.per_minute, remaining: Math.max(0, Math.min(seconds, minutes)), reset: end };
}

function endOf(start: Date, length: Millis): Date {
  return new Date(start.getTime() + length);
}
