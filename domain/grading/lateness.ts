import { barsExpected } from '../market/bar-grid.ts';
import { lengthOf } from '../market/bar-size.ts';
import type { Calendar } from '../market/calendar.ts';
import type { BarSeries } from '../market/market-data.ts';
import { type Millis, rfc3339 } from '../time.ts';
import { type Deferred, deferred } from './evaluation.ts';
import { GRADING } from './method-numbers.ts';

/**
 * A deferral when whole bars are missing at the end of [from, until], and no later bar shows that the reply went past
 * them: for three days this counts as a late source. Bars without trades count as bars.
 */
export function latenessFault(
  calendar: Calendar,
  { size, bars }: BarSeries,
  { from, until, now }: { readonly from: Millis; readonly until: Millis; readonly now: Millis },
): Deferred | null {
  if (now >= until + GRADING.lateSource || bars.some(({ end }) => end > until)) return null;
  // A few quiet minutes do not indicate a late source; a missing hour or day does.
  const slack = lengthOf(size) < GRADING.entryWithin ? GRADING.entryWithin : 0;
  const newest = Math.max(from, bars.at(-1)?.end ?? from);
  if (barsExpected(calendar, size, newest, until - slack) === 0) return null;
  return deferred('source_behind', `There are no bars after ${rfc3339(newest)} yet.`);
}
