import { HOUR, windowStart } from '../time.ts';
import { type AdmittedByWindow, countInWindow, type RefusedByWindow, refusedUntilEnd } from './fixed-window.ts';

/** The UTC hour that counts a submission received at `now`. */
export function submitHour(now: Date): Date {
  return windowStart(now, HOUR);
}

/**
 * Counts a submission of an agent in its UTC hour, up to `submitsPerHour` accepted ones (settled.md section 4).
 * @param used the accepted submissions of that hour so far
 */
export function countSubmission(used: number, submitsPerHour: number, now: Date): AdmittedByWindow | RefusedByWindow {
  return countInWindow(used, submitsPerHour, HOUR, now);
}

/** The refusal of a submission for which the UTC hour of `now` has no more room. */
export function fullHour(now: Date): RefusedByWindow {
  return refusedUntilEnd(now, HOUR);
}
