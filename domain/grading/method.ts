import { isResolved } from '../market/bars.ts';
import type { Calendar } from '../market/calendar.ts';
import { calendarOf } from '../market/calendars/by-venue.ts';
import type { BarSeries } from '../market/market-data.ts';
import { type Millis, rfc3339 } from '../time.ts';
import { barsOfSize, coverageFault, finalEvidence, observe, sizeFor } from './bars/coverage.ts';
import { EVAL_2 } from './eval-2.ts';
import { EVAL_3 } from './eval-3.ts';
import {
  type Deferred,
  deferred,
  type EvaluationCall,
  type EvaluationMethod,
  type Evidence,
  type Unavailable,
  unavailable,
} from './evaluation.ts';
import { type Measured, outcomeOf, withFacts } from './grade.ts';
import { GRADING } from './method-numbers.ts';
import { entryEvent, exitEvent, type PriceEvent, pathBetween, tauOf } from './paths/path.ts';
import { dailySigma } from './paths/volatility.ts';
import { entryDeadline, lastBarDue } from './windows/window.ts';

/** The method of evaluation.md. */
export const EVAL_1: EvaluationMethod<'eval/1'> = {
  name: 'eval/1',

  resolves({ instrument, anchor_time, end_time }, size) {
    return isResolved(calendarOf(instrument), size, anchor_time, end_time);
  },

  beginsLate({ instrument, anchor_time }, size, from) {
    return from > entryDeadline(calendarOf(instrument), size, anchor_time);
  },

  endsEarly({ instrument, end_time }, size, to) {
    return to < lastBarDue(calendarOf(instrument), size, end_time);
  },

  barsNeeded(call, sizes) {
    const size = sizeFor(call, sizes, (each) => EVAL_1.resolves(call, each));
    if (size) return barsOfSize(call, size);
    const known = sizes.join(', ') || 'the source';
    return unavailable('below_resolution', `No bar size of ${known} has two event times within the window.`);
  },

  evaluate(call, evidence, now) {
    const calendar = calendarOf(call.instrument);
    if (now < call.end_time) return deferred('window_open', `The window ends at ${rfc3339(call.end_time)}.`);
    if (!EVAL_1.resolves(call, evidence.path.size)) {
      return unavailable('below_resolution', `Bars of ${evidence.path.size} do not resolve the window.`);
    }
    const final = finalEvidence(calendar, evidence, now);
    const measured = measure(calendar, call, final, now);
    if ('kind' in measured) return measured;
    const outcome = outcomeOf(calendar, call, final, measured);
    return { kind: 'evaluated', outcome: withFacts(outcome, { method: 'eval/1' }) };
  },

  givenUp: (result) => result,
};

/** The method of decisions that are received now. */
export const METHOD_OF_NEW_RECORDS: EvaluationMethod = EVAL_3;

/**
 * The method of a record, by its name; undefined for one that this version does not know: such a record is left to a
 * version that does.
 */
export function methodNamed(name: string): EvaluationMethod | undefined {
  return METHODS.get(name);
}

const METHODS: ReadonlyMap<string, EvaluationMethod> = new Map(
  [EVAL_1, EVAL_2, EVAL_3].map((method) => [method.name, method]),
);

/** The methods that this version grades by. It does not claim a record of another method. */
export const KNOWN_METHODS: readonly string[] = [...METHODS.keys()];

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
  const tau = entry && exit ? tauOf(calendar, entry.ts, exit.ts) : 0;
  if (!entry || !exit || tau <= 0) return pathless(delisted, entry);
  const seen = observe(calendar, series, entry.ts, until);
  if (isLate(calendar, series, { exit, until, now })) {
    return deferred('source_behind', `The newest bar within the window ends at ${rfc3339(exit.ts)}.`);
  }
  const fault = coverageFault(seen);
  if (fault) return fault;
  const sigma_d = dailySigma(calendar, daily.bars, call.anchor_time);
  if (sigma_d === null) return unavailable('insufficient_history', 'Fewer than ten daily returns before the anchor.');
  const path = pathBetween(series.bars, entry, exit, call);
  return { path, levelBars: path.bars, seen, sigma_d, tau, delisted };
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
  return exit.ts < due && !bars.some(({ end }) => end > until) && now < until + GRADING.lateSource;
}
