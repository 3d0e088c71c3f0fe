import { firstIndex } from '../../market/adjustment.ts';
import { barsWithin } from '../../market/bar-grid.ts';
import type { Bar } from '../../market/bars.ts';
import type { Calendar, TradingSession } from '../../market/calendar.ts';
import type { BarSeries } from '../../market/market-data.ts';
import type { Millis } from '../../time.ts';
import { type Deferred, deferred } from '../evaluation.ts';
import { GRADING } from '../method-numbers.ts';
import type { Coverage } from '../paths/path-facts.ts';

export interface Observation {
  readonly coverage: Coverage;
  /** Sessions without a single bar: the longest run, and the run that the span ends with. */
  readonly longestHalt: number;
  readonly closingHalt: number;
}

/**
 * How much of a span was really observed (evaluation.md section 6). Bars missing in a session that has others had no
 * trades; a session without any is a halt, carried for five sessions running. Rows that were dropped are missing.
 */
export function observe(calendar: Calendar, series: BarSeries, from: Millis, to: Millis): Observation {
  const sessions = calendar.sessions(from, to).map((session) => observeSession(session, series, from, to));
  const halts = haltRuns(sessions);
  const bars_expected = sum(sessions.map(({ expected }) => expected));
  const bars_observed = sum(sessions.map(({ observed }) => observed));
  const carried = sum(sessions.map((session, i) => carriedBars(session, halts[i] ?? 0)));
  const bars_carried = Math.max(0, carried - series.dropped);
  const ratio = bars_expected === 0 ? 1 : Math.min(1, (bars_observed + bars_carried) / bars_expected);
  return {
    coverage: { bars_expected, bars_observed, bars_carried, ratio },
    longestHalt: Math.max(0, ...halts),
    closingHalt: halts.at(-1) ?? 0,
  };
}

/** Why a span is not observed well enough to be graded; null when it is (evaluation.md section 6). */
export function coverageFault({ closingHalt, coverage }: Observation): Deferred | null {
  if (closingHalt > GRADING.haltSessions) {
    return deferred('halted', `No trades in the last ${closingHalt} sessions of the window.`);
  }
  if (coverage.ratio < GRADING.coverage) {
    return deferred('coverage', `${coverage.ratio.toFixed(2)} of the expected bars are there.`);
  }
  return null;
}

interface SessionObservation {
  readonly expected: number;
  readonly observed: number;
  /** Whether the session has a bar anywhere, even outside the span. */
  readonly traded: boolean;
}

function observeSession(
  session: TradingSession,
  { size, bars }: BarSeries,
  from: Millis,
  to: Millis,
): SessionObservation {
  const ofSession = between(bars, session.open, session.close);
  return {
    expected: barsWithin(session, size, from, to),
    observed: ofSession.filter(({ start, end }) => start >= from && end <= to).length,
    traded: ofSession.length > 0,
  };
}

function between(bars: readonly Bar[], from: Millis, to: Millis): readonly Bar[] {
  return bars.slice(
    firstIndex(bars, ({ start }) => start >= from),
    firstIndex(bars, ({ start }) => start >= to),
  );
}

/** For each session the length of the run of sessions without a bar that it ends or continues; 0 where there are bars. */
function haltRuns(sessions: readonly SessionObservation[]): readonly number[] {
  let run = 0;
  return sessions.map(({ traded }) => {
    run = traded ? 0 : run + 1;
    return run;
  });
}

function carriedBars({ expected, observed, traded }: SessionObservation, halt: number): number {
  if (traded) return Math.max(0, expected - observed);
  return halt <= GRADING.haltSessions ? expected : 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
