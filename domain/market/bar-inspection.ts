import type { Millis } from '../time.ts';
import { firstIndex } from './adjustment.ts';
import { type Bar, type BarSize, barsWithin, type RawBar } from './bars.ts';
import type { Calendar, TradingSession } from './calendar.ts';

/** The faults of bars, to be known before they are used for grading. */
export interface Inspection {
  /** The usable ones, ascending, never overlapping. */
  readonly bars: readonly RawBar[];
  /** Rows left out because a later row has the same start. */
  readonly duplicates: number;
  /** Left out: their prices cannot be (evaluation.md section 6). */
  readonly unsound: number;
  /** Left out: they begin before the bar before them ends. */
  readonly overlapping: number;
  /** Left out: they have not ended yet. */
  readonly unfinished: number;
  /** How many bars the calendar expects from the first to the last. */
  readonly expected: number;
  /** How many of them are missing. */
  readonly missing: number;
  /** The UTC dates of sessions without any bar. */
  readonly empty_sessions: readonly string[];
  /** Sessions of years whose holidays are unknown: some of the empty sessions may be holidays. */
  readonly generic_sessions: number;
}

/** Selects the usable bars, and compares them with the calendar. */
export function inspectBars(rows: readonly RawBar[], size: BarSize, calendar: Calendar, now: Millis): Inspection {
  const finished = rows.filter(({ end }) => end <= now);
  const latest = [...new Map(finished.map((row) => [row.start, row])).values()].sort((a, b) => a.start - b.start);
  const { bars: sound, dropped: unsound } = soundBars(latest);
  const bars: RawBar[] = [];
  for (const bar of sound) if (bar.start >= (bars.at(-1)?.end ?? 0)) bars.push(bar);
  return {
    bars,
    duplicates: finished.length - latest.length,
    unsound,
    overlapping: sound.length - bars.length,
    unfinished: rows.length - finished.length,
    ...heldAgainst(calendar, size, bars),
  };
}

function heldAgainst(calendar: Calendar, size: BarSize, bars: readonly RawBar[]) {
  const [first, last] = [bars.at(0)?.start ?? 0, bars.at(-1)?.end ?? 0];
  const sessions = last > first ? calendar.sessions(first, last) : [];
  const expected = sessions.reduce((sum, session) => sum + barsWithin(session, size, first, last), 0);
  return {
    expected,
    missing: Math.max(0, expected - bars.length),
    empty_sessions: emptyOnes(sessions, bars).map(({ date }) => date),
    generic_sessions: sessions.filter(({ open }) => calendar.isGeneric(open)).length,
  };
}

function emptyOnes(sessions: readonly TradingSession[], bars: readonly RawBar[]): readonly TradingSession[] {
  let next = 0;
  return sessions.filter(({ open, close }) => {
    while (next < bars.length && (bars[next]?.start ?? close) < open) next += 1;
    return (bars[next]?.start ?? close) >= close;
  });
}

type Prices = Pick<Bar, 'start' | 'end' | 'open' | 'high' | 'low' | 'close'>;

/**
 * The possible ones of the raw bars, and how many are impossible (evaluation.md section 6); the latter count as
 * missing.
 */
export function soundBars<T extends Prices>(
  bars: readonly T[],
): { readonly bars: readonly T[]; readonly dropped: number } {
  const sound = bars.filter(isSound);
  return { bars: sound, dropped: bars.length - sound.length };
}

/** The bars with start >= from and end <= to, of ascending ones that never overlap. */
export function barsBetween(bars: readonly Bar[], from: Millis, to: Millis): readonly Bar[] {
  const first = firstIndex(bars, ({ start }) => start >= from);
  const last = firstIndex(bars, ({ end }) => end > to);
  return bars.slice(first, Math.max(first, last));
}

/** Bars cut to the sessions that contain them; trades outside every session are left out (evaluation.md section 2). */
export function clipToSessions<T extends Prices>(calendar: Calendar, bars: readonly T[]): readonly T[] {
  if (calendar.continuous) return bars;
  const cut: T[] = [];
  for (const bar of bars) {
    const clipped = clip(calendar, bar);
    if (clipped) cut.push(clipped);
  }
  return cut;
}

function isSound({ start, end, open, high, low, close }: Prices): boolean {
  // Written so that a NaN anywhere fails.
  const isOrdered = low > 0 && low <= Math.min(open, close) && high >= Math.max(open, close);
  return isOrdered && Number.isFinite(high) && start < end;
}

/** Windows of one instrument share most of their bars: each is cut once. */
const clippedBars = new WeakMap<Prices, { readonly calendar: Calendar; readonly clipped: Prices | null }>();

function clip<T extends Prices>(calendar: Calendar, bar: T): T | null {
  const known = clippedBars.get(bar);
  if (known?.calendar === calendar) return known.clipped as T | null;
  const clipped = cutBar(calendar, bar);
  clippedBars.set(bar, { calendar, clipped });
  return clipped;
}

function cutBar<T extends Prices>(calendar: Calendar, bar: T): T | null {
  const { segments } = calendar.currentOrNext(bar.start);
  const first = segments.find(({ close }) => close > bar.start);
  const last = segments.findLast(({ open }) => open < bar.end);
  if (!first || !last || first.open >= bar.end) return null;
  return { ...bar, start: Math.max(bar.start, first.open), end: Math.min(bar.end, last.close) };
}
