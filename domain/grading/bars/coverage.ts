import { firstIndex } from '../../market/adjustment.ts';
import { clipToSessions } from '../../market/bar-inspection.ts';
import { type BarSize, barsWithin, lengthOf, sizesInOrder } from '../../market/bars.ts';
import type { Calendar, TradingSession } from '../../market/calendar.ts';
import { calendarOf } from '../../market/calendars/by-venue.ts';
import type { BarSeries } from '../../market/market-data.ts';
import type { Millis } from '../../time.ts';
import { type BarsNeeded, type Deferred, deferred, type EvaluationCall, type Evidence } from '../evaluation.ts';
import { GRADING } from '../method-numbers.ts';
import type { Coverage } from '../paths/path-facts.ts';
import { wantedSize } from '../windows/window.ts';

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
  const first = firstIndex(bars, ({ start }) => start >= session.open);
  const next = firstIndex(bars, ({ start }) => start >= session.close);
  let observed = 0;
  for (let i = first; i < next; i += 1) {
    const bar = bars[i];
    if (bar && bar.start >= from && bar.end <= to) observed += 1;
  }
  return { expected: barsWithin(session, size, from, to), observed, traded: next > first };
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
function pathSpan(calendar: Calendar, size: BarSize, from: Millis, to: Millis): { from: Millis; to: Millis } {
  if (!calendar.continuous) return { from: calendar.nthBefore(from, 1).open, to: calendar.nthFrom(to, 1).close };
  const bar = lengthOf(size);
  const margin = Math.max(bar, GRADING.entryWithin);
  return { from: Math.floor((from - margin) / bar) * bar, to: Math.ceil((to + margin) / bar) * bar };
}

/**
 * The bars by which the prices of a window, and those around it, are judged (evaluation-3.md section 2): three and 15
 * minutes of trading before the last one before it, and as much after its end.
 */
export function judgedSpan(calendar: Calendar, size: BarSize, from: Millis, to: Millis): { from: Millis; to: Millis } {
  const { bars, time } = GRADING.judged;
  if (!calendar.continuous) {
    if (size !== '1d') return pathSpan(calendar, size, from, to);
    return { from: calendar.nthBefore(from, bars + 1).open, to: calendar.nthFrom(to, bars).close };
  }
  const length = lengthOf(size);
  const margin = Math.max(bars * length, time) + length;
  return { from: Math.floor((from - margin) / length) * length, to: Math.ceil((to + margin) / length) * length };
}

/** Enough for the whole rank of volatilities, each with the returns before it, and for a few missing sessions. */
function dailyBars(calendar: Calendar): number {
  const ranked = calendar.continuous ? GRADING.volRank.crypto : GRADING.volRank.stock;
  return ranked + 2 * GRADING.returns;
}

/** The evidence with only those bars that were final at `now`, cut to their sessions (evaluation.md sections 2 and 6). */
export function finalEvidence(calendar: Calendar, evidence: Evidence, now: Millis): Evidence {
  const final = (series: BarSeries) => {
    const bars = clipToSessions(calendar, series.bars);
    const count = firstIndex(bars, ({ end }) => end > now);
    return { ...series, bars: count === bars.length ? bars : bars.slice(0, count) };
  };
  const { path, daily, earlier, later, market } = evidence;
  return {
    ...evidence,
    ...{ path: final(path), daily: final(daily) },
    ...(earlier && { earlier: earlier.map(final) }),
    ...(later && { later: final(later) }),
    ...(market && { market: { ...market, daily: final(market.daily) } }),
  };
}
