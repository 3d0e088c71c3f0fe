import type { Millis } from '../time.ts';
import { lengthOf } from './bar-size.ts';
import type { BarSize } from './bars.ts';
import type { Calendar, Segment, TradingSession } from './calendar.ts';
import { openTime } from './open-time.ts';

// The start and end times of the bars of a size when none is missing: counted from the open of each segment, cut at its
// close. A day's bar spans the whole session, lunch included.

/** Whether a window holds two event times of the bar size with market-open time between them (evaluation.md section 2). */
export function isResolved(calendar: Calendar, size: BarSize, from: Millis, to: Millis): boolean {
  return openTime(calendar, firstEvent(calendar, size, from), lastEvent(calendar, size, to)) > 0;
}

/** The first start or end of a bar at or after an instant. */
export function firstEvent(calendar: Calendar, size: BarSize, at: Millis): Millis {
  // A close at the instant itself counts, so look from just before it.
  const session = calendar.currentOrNext(at - 1);
  const segment = segmentsOf(session, size).find(({ close }) => close >= at);
  if (!segment) return session.close;
  const bars = Math.ceil((at - segment.open) / lengthOf(size));
  return Math.min(segment.close, segment.open + Math.max(0, bars) * lengthOf(size));
}

/** The last start or end of a bar at or before an instant. */
export function lastEvent(calendar: Calendar, size: BarSize, at: Millis): Millis {
  const current = calendar.currentOrNext(at);
  const session = current.open <= at ? current : calendar.nthBefore(at, 1);
  const segment = segmentsOf(session, size).findLast(({ open }) => open <= at);
  if (!segment) return session.open;
  const bars = Math.floor((at - segment.open) / lengthOf(size));
  return at >= segment.close ? segment.close : segment.open + bars * lengthOf(size);
}

/** How many bars the calendar expects whole within [from, to]. */
export function barsExpected(calendar: Calendar, size: BarSize, from: Millis, to: Millis): number {
  return calendar.sessions(from, to).reduce((sum, session) => sum + barsWithin(session, size, from, to), 0);
}

/** How many bars of a session lie within [from, to]. */
export function barsWithin(session: TradingSession, size: BarSize, from: Millis, to: Millis): number {
  return segmentsOf(session, size).reduce((sum, segment) => sum + barsOfSegment(segment, lengthOf(size), from, to), 0);
}

function segmentsOf(session: TradingSession, size: BarSize): readonly Segment[] {
  return size === '1d' ? [session] : session.segments;
}

function barsOfSegment({ open, close }: Segment, length: Millis, from: Millis, to: Millis): number {
  const first = Math.max(0, Math.ceil((from - open) / length));
  const end = to >= close ? Math.ceil((close - open) / length) : Math.floor((to - open) / length);
  return Math.max(0, end - first);
}
