import type { Millis } from '../time.ts';
import { utcDate } from '../time.ts';
import type { CorporateAction } from './adjustment.ts';
import { barsWithin } from './bar-grid.ts';
import type { BarSize, RawBar } from './bars.ts';
import type { Calendar, TradingSession } from './calendar.ts';
import { type LikelySplit, likelySplits } from './likely-splits.ts';
import { soundBars } from './sound-bars.ts';

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
  readonly likely_splits: readonly LikelySplit[];
}

/** Selects the usable bars, and compares them with the calendar and the corporate actions. */
export function inspectBars(
  rows: readonly RawBar[],
  size: BarSize,
  calendar: Calendar,
  actions: readonly CorporateAction[],
  now: Millis,
): Inspection {
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
    likely_splits: calendar.continuous ? [] : likelySplits(bars, actions),
  };
}

function heldAgainst(calendar: Calendar, size: BarSize, bars: readonly RawBar[]) {
  const [first, last] = [bars.at(0)?.start ?? 0, bars.at(-1)?.end ?? 0];
  const sessions = last > first ? calendar.sessions(first, last) : [];
  const expected = sessions.reduce((sum, session) => sum + barsWithin(session, size, first, last), 0);
  return {
    expected,
    missing: Math.max(0, expected - bars.length),
    empty_sessions: emptyOnes(sessions, bars).map(({ open }) => utcDate(open)),
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
