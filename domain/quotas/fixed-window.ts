import { type Millis, SECOND, windowStart } from '../time.ts';

/** Whole seconds, at least 1, until the fixed window of that length that contains `at` ends. */
function secondsToWindowEnd(at: Date, length: Millis): number {
  return Math.ceil((windowStart(at, length).getTime() + length - at.getTime()) / SECOND);
}

/** A refusal of one more, and the whole seconds until another attempt may succeed. */
export interface RefusedByWindow {
  readonly admitted: false;
  readonly retry_after_seconds: number;
}

/** The count of the window, including the admitted one. */
export interface AdmittedByWindow {
  readonly admitted: true;
  readonly used: number;
}

/** Admits one more into the window that contains `now` while it has fewer than `limit`; a limit of 0 admits none. */
export function countInWindow(
  used: number,
  limit: number,
  length: Millis,
  now: Date,
): AdmittedByWindow | RefusedByWindow {
  if (used < limit) return { admitted: true, used: used + 1 };
  return refusedUntilEnd(now, length);
}

/** The refusal by a window that contains `now` and is full. */
export function refusedUntilEnd(now: Date, length: Millis): RefusedByWindow {
  return { admitted: false, retry_after_seconds: secondsToWindowEnd(now, length) };
}
