import { lastEvent } from '../../market/bar-grid.ts';
import { lengthOf } from '../../market/bar-size.ts';
import type { BarSize } from '../../market/bars.ts';
import type { Calendar } from '../../market/calendar.ts';
import type { Millis } from '../../time.ts';
import { GRADING } from '../method-numbers.ts';

/**
 * The latest price event that may be the entry of a window by `eval/1`: within 15 minutes or one bar, for a stock by the end of the
 * next session's first bar (evaluation.md section 6).
 */
export function entryDeadline(calendar: Calendar, size: BarSize, anchor: Millis): Millis {
  if (calendar.continuous) return anchor + Math.max(GRADING.entryWithin, lengthOf(size));
  const { open, close } = calendar.nthFrom(anchor, 1);
  return Math.min(open + lengthOf(size), close);
}

/**
 * The latest trade that may be the entry of a window by `eval/2`: 15 minutes or one bar, whichever is longer, after the
 * anchor; for a stock after the open of the next session, no later than its close (evaluation-2.md section 1).
 */
export function tradeDeadline(calendar: Calendar, size: BarSize, anchor: Millis): Millis {
  const wait = Math.max(GRADING.entryWithin, lengthOf(size));
  if (calendar.continuous) return anchor + wait;
  const { open, close } = calendar.nthFrom(anchor, 1);
  return Math.min(open + wait, close);
}

/**
 * The earliest time that the last bar of a complete series may end at, by `eval/1`. A few quiet minutes before the end do not
 * indicate missing prices; a missing hour or day does.
 */
export function lastBarDue(calendar: Calendar, size: BarSize, end: Millis): Millis {
  return lastEvent(calendar, size, end - quietTime(size));
}

/** How long before the end of a window missing bars do not indicate a late source. */
export function quietTime(size: BarSize): Millis {
  return lengthOf(size) < GRADING.entryWithin ? GRADING.entryWithin : 0;
}
