import { firstIndex } from '../../market/adjustment.ts';
import { type Bar, type BarSize, repeatsClose } from '../../market/bars.ts';
import type { Calendar, Segment } from '../../market/calendar.ts';
import { openTime, openTimeIn } from '../../market/open-time.ts';
import type { Millis } from '../../time.ts';
import { GRADING } from '../method-numbers.ts';
import { tradeDeadline } from '../windows/window.ts';
import { closing, opening, type Path, type PriceEvent } from './path.ts';

/** A window on bars of one size, with the bars that traded apart from all that there are. */
export interface TradedWindow {
  readonly size: BarSize;
  readonly anchor: Millis;
  /** The end of the window, or of trading. */
  readonly until: Millis;
  /** The bars that the calendar expects whole in the window. */
  readonly fit: number;
  /** Ascending, from before the anchor on. */
  readonly bars: readonly Bar[];
  readonly traded: readonly Bar[];
  /** The last traded day before the anchor. */
  readonly lastDay: Bar | undefined;
}

/**
 * The path from the first trade after the anchor to the last one before the end (evaluation-2.md section 1); null when
 * there are too few trades for one.
 */
export function tradedPath(calendar: Calendar, window: TradedWindow): Path | null {
  const entry = tradedEntry(calendar, window);
  if (!entry || entry.ts > tradeDeadline(calendar, window.size, window.anchor)) return null;
  const bars = window.traded.filter(({ start, end }) => start >= entry.ts && end <= window.until);
  const [first, last] = [bars[0], bars.at(-1)];
  if (!first || !last || bars.length < Math.min(GRADING.barsOfPath, window.fit)) return null;
  if (bars.length === 1 && first.high <= first.low) return null;
  const exit = closing(last);
  return spansEnough(calendar, window, entry, exit) ? { entry, exit, bars } : null;
}

/**
 * The open of the first traded bar that starts at or after the anchor. An open that may have been carried from a trade
 * before the anchor is none: then the entry is the close of that bar. In bars shorter than a day, the time between two
 * sessions is a silence too: a source may carry prices over it.
 */
function tradedEntry(calendar: Calendar, window: TradedWindow): PriceEvent | null {
  const { size, anchor, bars, traded, lastDay } = window;
  const i = traded.findIndex(({ start }) => start >= anchor);
  const [bar, before] = [traded[i], traded[i - 1] ?? (size === '1d' ? lastDay : undefined)];
  if (!bar) return null;
  if (before && follows(calendar, size, before, bar)) return opening(bar);
  const carrier = before ?? bars.findLast(({ end }) => end <= bar.start);
  // Without any bar before it, the last trade is unknown, and the open may repeat it.
  return !carrier || repeatsClose(bar, carrier) ? closing(bar) : opening(bar);
}

/** Whether there was no silence between two bars. A day follows the day before. */
export function follows(calendar: Calendar, size: BarSize, before: Bar, { start }: Bar): boolean {
  return size === '1d' ? openTime(calendar, before.end, start) === 0 : before.end === start;
}

/** Entry to exit is at least half of the open time of the window; halted sessions have none. */
export function spansEnough(
  calendar: Calendar,
  { anchor, until, fit, bars }: Pick<TradedWindow, 'anchor' | 'until' | 'fit' | 'bars'>,
  entry: PriceEvent,
  exit: PriceEvent,
): boolean {
  if (fit === 1) return true;
  const time = calendar.continuous ? openTime : unhaltedTime(bars);
  return time(calendar, entry.ts, exit.ts) >= GRADING.openShare * time(calendar, anchor, until);
}

/** The open time of the sessions that have a bar. */
function unhaltedTime(bars: readonly Bar[]): typeof openTime {
  const hasBar = ({ open, close }: Segment) => {
    const first = bars[firstIndex(bars, ({ start }) => start >= open)];
    return first !== undefined && first.start < close;
  };
  return (calendar, from, to) => {
    const traded = calendar.sessions(from, to).filter(hasBar);
    return traded.reduce((sum, session) => sum + openTimeIn(session, from, to), 0);
  };
}
