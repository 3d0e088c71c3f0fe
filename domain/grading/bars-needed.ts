import { isResolved } from '../market/bar-grid.ts';
import { lengthOf, sizesInOrder } from '../market/bar-size.ts';
import type { BarSize } from '../market/bars.ts';
import type { Calendar } from '../market/calendar.ts';
import { calendarOf } from '../market/calendars/by-venue.ts';
import type { Millis } from '../time.ts';
import { EVAL_1 } from './eval-1.ts';
import type { BarsNeeded, EvaluationCall, Unavailable } from './evaluation.ts';
import { wantedSize } from './wanted-size.ts';

/**
 * The bars that an evaluation needs from a source with these sizes: the path from before the cutoff's bar to past the
 * end, so that the next bar distinguishes a halt from a late source, and the daily bars for volatility and regime. The
 * size is the wanted one, else the next coarser; a finer one only when no coarser one resolves the window
 * (evaluation.md section 2).
 */
export function barsNeeded(call: EvaluationCall, sizes: readonly BarSize[]): BarsNeeded | Unavailable {
  const calendar = calendarOf(call.instrument);
  const { anchor_time, end_time } = call;
  const wanted = wantedSize(call.horizon_kind, call.horizon_value);
  const size = sizesInOrder(wanted, sizes).find((each) => isResolved(calendar, each, anchor_time, end_time));
  if (!size) {
    const detail = `No bar size of ${sizes.join(', ') || 'the source'} has two event times within the window.`;
    return { kind: 'data_unavailable', reason: 'below_resolution', detail };
  }
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

function pathSpan(calendar: Calendar, size: BarSize, from: Millis, to: Millis): { from: Millis; to: Millis } {
  if (!calendar.continuous) return { from: calendar.nthBefore(from, 1).open, to: calendar.nthFrom(to, 1).close };
  const bar = lengthOf(size);
  const margin = Math.max(bar, EVAL_1.entryWithin);
  return { from: Math.floor((from - margin) / bar) * bar, to: Math.ceil((to + margin) / bar) * bar };
}

/** Enough for the whole rank of volatilities, each with the returns before it, and for a few missing sessions. */
function dailyBars(calendar: Calendar): number {
  const ranked = calendar.continuous ? EVAL_1.volRank.crypto : EVAL_1.volRank.stock;
  return ranked + 2 * EVAL_1.returns;
}
