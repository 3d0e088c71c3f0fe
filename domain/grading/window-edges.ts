import { lastEvent } from '../market/bar-grid.ts';
import { lengthOf } from '../market/bar-size.ts';
import type { BarSize } from '../market/bars.ts';
import type { Calendar } from '../market/calendar.ts';
import type { Millis } from '../time.ts';
import { GRADING } from './method-numbers.ts';

/**
 * The latest price event that may be the entry of a window: within 15 minutes or one bar, for a stock by the end of the
 * next session's first bar (evaluation.md section 6).
 */
export function entryDeadline(calendar: Calendar, size: BarSize, anchor: Millis): Millis {
  if (calendar.continuous) return anchor + Math.max(GRADING.entryWithin, lengthOf(size));
  const { open, close } = calendar.nthFrom(anchor, 1);
  return Math.min(open + lengthOf(size), close);
}

/**
 * The earliest time that the last bar of a complete series may end at. A few quiet minutes before the end do not
 * indicate missing prices; a missing hour or day does.
 */
export function lastBarDue(calendar: Calendar, size: BarSize, end: Millis): Millis {
  const slack = lengthOf(size) < GRADING.entryWithin ? GRADING.entryWithin : 0;
  return lastEvent(calendar, size, end - slack);
}
