import type { Window } from '../../decisions/call.ts';
import type { Bar } from '../../market/bars.ts';
import type { Calendar } from '../../market/calendar.ts';
import { openTimeIn } from '../../market/open-time.ts';
import { DAY, type Millis } from '../../time.ts';

/** A price at an instant: the open at a bar's start, or the close at its end. */
export interface PriceEvent {
  readonly ts: Millis;
  readonly price: number;
  readonly bar: Bar;
}

/** The prices of a decision's window (evaluation.md section 2). */
export interface Path {
  readonly entry: PriceEvent;
  readonly exit: PriceEvent;
  /** The bars from the entry on that ended within the window. */
  readonly bars: readonly Bar[];
}

/** The earliest event at or after an instant, the open where two meet. `bars` ascend and do not overlap. */
export function entryEvent(bars: readonly Bar[], at: Millis): PriceEvent | null {
  const i = bars.findIndex(({ end }) => end >= at);
  const [bar, next] = [bars[i], bars[i + 1]];
  if (!bar) return null;
  if (bar.start >= at) return opening(bar);
  return next?.start === bar.end ? opening(next) : closing(bar);
}

/** The latest event at or before an instant, the close where two meet. */
export function exitEvent(bars: readonly Bar[], at: Millis): PriceEvent | null {
  const i = bars.findLastIndex(({ start }) => start <= at);
  const [bar, before] = [bars[i], bars[i - 1]];
  if (!bar) return null;
  if (bar.end <= at) return closing(bar);
  return before?.end === bar.start ? closing(before) : opening(bar);
}

/** The path between two different events within a window. */
export function pathBetween(bars: readonly Bar[], entry: PriceEvent, exit: PriceEvent, window: Window<Millis>): Path {
  return { entry, exit, bars: bars.filter(({ start, end }) => start >= entry.ts && end <= window.end_time) };
}

/**
 * The weight of a span of time (evaluation.md section 3): days where trading never stops, else the sum over sessions of
 * the fraction of each within it, so that an early close is a whole session.
 */
export function tauOf(calendar: Calendar, from: Millis, to: Millis): number {
  if (calendar.continuous) return (to - from) / DAY;
  return calendar.sessions(from, to).reduce((sum, session) => sum + openTimeIn(session, from, to) / session.length, 0);
}

/** The open of a bar. */
export function opening(bar: Bar): PriceEvent {
  return { ts: bar.start, price: bar.open, bar };
}

/** The close of a bar. */
export function closing(bar: Bar): PriceEvent {
  return { ts: bar.end, price: bar.close, bar };
}
