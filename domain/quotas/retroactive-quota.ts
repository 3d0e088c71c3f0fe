import { DAY, windowStart } from '../time.ts';
import { type AdmittedByWindow, countInWindow, type RefusedByWindow } from './fixed-window.ts';

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
): AdmittedByWindow | RefusedByWindow {
  return countInWindow(used, retroactivePerDay, DAY, now);
}
