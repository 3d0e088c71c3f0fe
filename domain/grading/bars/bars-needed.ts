import { lengthOf, sizesInOrder } from '../../market/bar-size.ts';
import type { BarSize } from '../../market/bars.ts';
import type { Calendar } from '../../market/calendar.ts';
import { calendarOf } from '../../market/calendars/by-venue.ts';
import type { Millis } from '../../time.ts';
import type { BarsNeeded, EvaluationCall } from '../evaluation.ts';
import { GRADING } from '../method-numbers.ts';
import { wantedSize } from '../windows/wanted-size.ts';

/**
 * The size that a decision is evaluated on: the wanted one, else the next coarser; a finer one only when no coarser one
 * resolves the window (evaluation.md section 2). Undefined when none of them does.
 * @param resolves whether bars of a size suffice for the window
 */
export function sizeFor(
  { horizon_kind, horizon_value }: Pick<EvaluationCall, 'horizon_kind' | 'horizon_value'>,
  sizes: readonly BarSize[],
  resolves: (size: BarSize) => boolean,
): BarSize | undefined {
  return sizesInOrder(wantedSize(horizon_kind, horizon_value), sizes).find(resolves);
}

/**
 * The bars that an evaluation needs: the path from before the cutoff's bar to past the end, so that the next bar
 * distinguishes a halt from a late source, and the daily bars for volatility and regime.
 */
export function barsOfSize(call: EvaluationCall, size: BarSize): BarsNeeded {
  const calendar = calendarOf(call.instrument);
  const { anchor_time, end_time } = call;
  return {
    kind: 'bars',
    path: { size, ...pathSpan(calendar, size, Math.min(anchor_time, call.data_cutoff), end_time) },
    daily: { size: '1d', ...dailySpan(calendar, anchor_time) },
  };
}

/** The daily bars for the volatility and the regime at an instant. */
export function dailySpan(calendar: Calendar, at: Millis): { readonly from: Millis; readonly to: Millis } {
  return { from: calendar.nthBefore(at, dailyBars(calendar)).open, to: at };
}

/** The bars of the path of a window: from before its start to past its end. */
export function pathSpan(calendar: Calendar, size: BarSize, from: Millis, to: Millis): { from: Millis; to: Millis } {
  if (!calendar.continuous) return { from: calendar.nthBefore(from, 1).open, to: calendar.nthFrom(to, 1).close };
  const bar = lengthOf(size);
  const margin = Math.max(bar, GRADING.entryWithin);
  return { from: Math.floor((from - margin) / bar) * bar, to: Math.ceil((to + margin) / bar) * bar };
}

/** Enough for the whole rank of volatilities, each with the returns before it, and for a few missing sessions. */
function dailyBars(calendar: Calendar): number {
  const ranked = calendar.continuous ? GRADING.volRank.crypto : GRADING.volRank.stock;
  return ranked + 2 * GRADING.returns;
}
