import { barsExpected } from '../../market/bar-grid.ts';
import type { BarSize } from '../../market/bars.ts';
import type { Calendar } from '../../market/calendar.ts';
import type { BarSeries } from '../../market/market-data.ts';
import { type Millis, rfc3339 } from '../../time.ts';
import { type Deferred, deferred } from '../evaluation.ts';
import { GRADING } from '../method-numbers.ts';

/** A span of which the end may be missing. */
export interface AwaitedSpan {
  readonly from: Millis;
  readonly until: Millis;
  /** The time before the end in which missing bars do not count. */
  readonly quiet: Millis;
}

/**
 * A deferral when whole bars are missing at the end of a span, and no later bar shows that the reply went past them:
 * for three days this counts as a late source. Bars without trades count as bars.
 */
export function latenessFault(
  calendar: Calendar,
  { size, bars }: BarSeries,
  span: AwaitedSpan,
  now: Millis,
): Deferred | null {
  if (now >= span.until + GRADING.lateSource || bars.some(({ end }) => end > span.until)) return null;
  const newest = Math.max(span.from, bars.at(-1)?.end ?? span.from);
  if (!lacksLastBars(calendar, size, span, newest)) return null;
  return deferred('source_behind', `There are no bars after ${rfc3339(newest)} yet.`);
}

/** Whether whole bars of the span are missing between the end of the newest one and the quiet time. */
export function lacksLastBars(
  calendar: Calendar,
  size: BarSize,
  { from, until, quiet }: AwaitedSpan,
  newest: Millis,
): boolean {
  const [missing, due] = [Math.max(from, newest), until - quiet];
  return missing < due && barsExpected(calendar, size, missing, due) > 0;
}
