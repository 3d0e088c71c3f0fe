import { coinOf } from '../circuits/coin.ts';
import { pegFacts } from '../circuits/isolation.ts';
import { isResolved } from '../market/bar-grid.ts';
import type { Calendar } from '../market/calendar.ts';
import { calendarOf } from '../market/calendars/by-venue.ts';
import type { BarSeries } from '../market/market-data.ts';
import { clipToSessions } from '../market/sound-bars.ts';
import { type Millis, rfc3339 } from '../time.ts';
import { observe } from './coverage.ts';
import { EVAL_1 } from './eval-1.ts';
import type { Deferred, Evaluation, EvaluationCall, Evidence, Unavailable } from './evaluation.ts';
import { type Measured, outcomeOf } from './grade.ts';
import type { Outcome } from './outcome.ts';
import { entryEvent, exitEvent, type PriceEvent, pathBetween, tauOf } from './path.ts';
import { dailySigma } from './volatility.ts';
import { entryDeadline, lastBarDue } from './window-edges.ts';

/**
 * The outcome of a decision by `eval/1` from the bars that `barsNeeded` names, or why there is none (evaluation.md).
 * Pure: the same bars give the same outcome. `now` decides which bars are final and whether a source is late.
 */
export function evaluate(call: EvaluationCall, evidence: Evidence, now: Millis): Evaluation {
  const calendar = calendarOf(call.instrument);
  if (now < call.end_time) return deferred('window_open', `The window ends at ${rfc3339(call.end_time)}.`);
  if (!isResolved(calendar, evidence.path.size, call.anchor_time, call.end_time)) {
    return unavailable('below_resolution', `Bars of ${evidence.path.size} do not resolve the window.`);
  }
  const path = finalBars(calendar, evidence.path, now);
  const daily = finalBars(calendar, evidence.daily, now);
  const measured = measure(calendar, call, { ...evidence, path, daily }, now);
  if ('kind' in measured) return measured;
  return { kind: 'evaluated', outcome: withPeg(outcomeOf(calendar, call, measured), call, evidence) };
}

function withPeg(outcome: Outcome, call: EvaluationCall, { isolations = [] }: Evidence): Outcome {
  const coin = coinOf(call.instrument);
  const peg = coin && pegFacts(coin, isolations, call);
  return peg ? { ...outcome, facts: { ...outcome.facts, peg } } : outcome;
}

function finalBars(calendar: Calendar, series: BarSeries, now: Millis): BarSeries {
  return { ...series, bars: clipToSessions(calendar, series.bars).filter(({ end }) => end <= now) };
}

function measure(
  calendar: Calendar,
  call: EvaluationCall,
  { path: series, daily, listing }: Evidence,
  now: Millis,
): Measured | Deferred | Unavailable {
  const until = Math.min(call.end_time, listing.delisted_at ?? call.end_time);
  const delisted = until < call.end_time;
  const entry = timelyEntry(calendar, series, call.anchor_time);
  const exit = exitEvent(series.bars, call.end_time);
  if (!entry || !exit || tauOf(calendar, entry.ts, exit.ts) <= 0) return pathless(delisted, entry);
  const seen = observe(calendar, series, entry.ts, until);
  if (isLate(calendar, series, { exit, until, now })) {
    return deferred('source_behind', `The newest bar within the window ends at ${rfc3339(exit.ts)}.`);
  }
  if (seen.closingHalt > EVAL_1.haltSessions) {
    return deferred('halted', `No trades in the last ${seen.closingHalt} sessions of the window.`);
  }
  if (seen.coverage.ratio < EVAL_1.coverage) {
    return deferred('coverage', `${seen.coverage.ratio.toFixed(2)} of the expected bars are there.`);
  }
  const sigma_d = dailySigma(calendar, daily.bars, call.anchor_time);
  if (sigma_d === null) return unavailable('insufficient_history', 'Fewer than ten daily returns before the anchor.');
  return { path: pathBetween(series.bars, entry, exit, call), series, daily, seen, sigma_d, delisted };
}

/** The entry, if it came in time. */
function timelyEntry(calendar: Calendar, { size, bars }: BarSeries, anchor: Millis): PriceEvent | null {
  const entry = entryEvent(bars, anchor);
  return entry && entry.ts <= entryDeadline(calendar, size, anchor) ? entry : null;
}

function pathless(delisted: boolean, entry: PriceEvent | null): Deferred | Unavailable {
  if (delisted) return unavailable('no_print', 'The instrument was delisted before it traded within the window.');
  return entry
    ? deferred('no_path', 'There is no price after the entry yet.')
    : deferred('no_entry', 'There is no price close enough to the anchor.');
}

/**
 * Bars are missing at the end, and no later bar shows that the reply went past them: for three days this counts as a
 * late source.
 */
function isLate(
  calendar: Calendar,
  { size, bars }: BarSeries,
  { exit, until, now }: { readonly exit: PriceEvent; readonly until: Millis; readonly now: Millis },
): boolean {
  const due = lastBarDue(calendar, size, until);
  return exit.ts < due && !bars.some(({ end }) => end > until) && now < until + EVAL_1.lateSource;
}

function deferred(reason: Deferred['reason'], detail: string): Deferred {
  return { kind: 'deferred', reason, detail };
}

function unavailable(reason: Unavailable['reason'], detail: string): Unavailable {
  return { kind: 'data_unavailable', reason, detail };
}
