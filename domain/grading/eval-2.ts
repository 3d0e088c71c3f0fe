import { type BarSize, barsExpected, tradedBars } from '../market/bars.ts';
import type { Calendar } from '../market/calendar.ts';
import { calendarOf } from '../market/calendars/by-venue.ts';
import type { BarSeries } from '../market/market-data.ts';
import { type Millis, rfc3339, SECOND } from '../time.ts';
import { barsOfSize, coverageFault, finalEvidence, observe, sizeFor } from './bars/coverage.ts';
import { tradedHistory } from './bars/history.ts';
import {
  type Deferred,
  deferred,
  type EvaluationCall,
  type EvaluationMethod,
  type Evidence,
  type EvidenceListing,
  type Unavailable,
  unavailable,
} from './evaluation.ts';
import { type Measured, outcomeOf, withFacts } from './grade.ts';
import type { Eval2Facts } from './method-facts.ts';
import { GRADING } from './method-numbers.ts';
import type { PathFacts } from './paths/path-facts.ts';
import { gridFault, gridZ } from './paths/price-step.ts';
import { suspectedSplit } from './paths/suspected-splits.ts';
import { tradedPath } from './paths/traded-path.ts';
import { tauWithNights } from './paths/volatility.ts';
import { quietTime, tradeDeadline } from './windows/window.ts';

/** The method of evaluation-2.md: evaluation.md with only trades as prices, weighed nights and no coarse prices. */
export const EVAL_2: EvaluationMethod<'eval/2'> = {
  name: 'eval/2',

  resolves({ instrument, anchor_time, end_time }, size) {
    return barsExpected(calendarOf(instrument), size, anchor_time, end_time) > 0;
  },

  beginsLate({ instrument, anchor_time }, size, from) {
    return from > tradeDeadline(calendarOf(instrument), size, anchor_time);
  },

  endsEarly({ instrument, anchor_time, end_time }, size, to) {
    const span = { from: anchor_time, until: end_time, quiet: quietTime(size) };
    return to <= anchor_time || lacksLastBars(calendarOf(instrument), size, span, to);
  },

  barsNeeded(call, sizes) {
    const size = sizeFor(call, sizes, (each) => EVAL_2.resolves(call, each));
    if (size) return barsOfSize(call, size);
    const known = sizes.join(', ') || 'the source';
    return unavailable('below_resolution', `No bar of ${known} is whole within the window.`);
  },

  evaluate(call, evidence, now) {
    const calendar = calendarOf(call.instrument);
    const final = finalEvidence(calendar, evidence, now);
    const measured = measureTrades(call, final, now);
    if ('kind' in measured) return measured;
    const outcome = outcomeOf(calendar, call, final, measured);
    return { kind: 'evaluated', outcome: withFacts(outcome, factsOf(call, measured)) };
  },

  givenUp,
};

/** What `eval/2` measured: its own facts are derived from it. */
export interface MeasuredTrades extends Measured {
  readonly fit: number;
  readonly omega: number | null;
  readonly grid_z: number;
  readonly carriedOpens: number;
  readonly likelySplit: boolean;
}

/** The checks of evaluation-2.md in their order, on final bars; what stops an evaluation, else what it measured. */
function measureTrades(
  call: EvaluationCall,
  { path: series, daily, listing }: Evidence,
  now: Millis,
): MeasuredTrades | Deferred | Unavailable {
  const { anchor_time: anchor, end_time } = call;
  const calendar = calendarOf(call.instrument);
  if (now < end_time) return deferred('window_open', `The window ends at ${rfc3339(end_time)}.`);
  const fit = barsExpected(calendar, series.size, anchor, end_time);
  if (fit === 0) return unavailable('below_resolution', `No bar of ${series.size} is whole within the window.`);
  const gone = leftWithoutBars(listing, series, anchor);
  if (gone) return gone;
  const until = Math.min(end_time, listing.delisted_at ?? end_time);
  const seen = observe(calendar, series, anchor, until);
  const late = (quiet: Millis) => latenessFault(calendar, series, { from: anchor, until, quiet }, now);
  const fault = late(quietTime(series.size)) ?? coverageFault(seen);
  if (fault) return fault;
  const history = tradedHistory(calendar, daily.bars, anchor);
  if ('kind' in history) return history;
  const traded = tradedBars(series.bars, history.volumeIsKnown);
  const { sigma_d, omega, carriedOpens, lastDay } = history;
  const path = tradedPath(calendar, { size: series.size, anchor, until, fit, bars: series.bars, traded, lastDay });
  // Too few trades are final once a later bar, or time, shows that the source is not just a few minutes late.
  if (!path) return late(0) ?? untraded(until < end_time);
  const sigmaOfWindow = sigma_d * Math.sqrt(tauWithNights(calendar, omega, anchor, end_time));
  const grid_z = gridZ(history.bars, { price: path.entry.price, split: path.entry.bar.split }, sigmaOfWindow);
  const coarse = gridFault(grid_z);
  if (coarse) return coarse;
  const leap = suspectedSplit(calendar, path);
  if (leap && now < until + GRADING.splitWait) return awaitsAction(leap.start);
  const tau = tauWithNights(calendar, omega, path.entry.ts, path.exit.ts);
  const levelBars = path.bars.map((bar) => (bar.volume === 0 ? { ...bar, volume: null } : bar));
  const delisted = until < end_time;
  return { path, levelBars, seen, sigma_d, tau, delisted, fit, omega, grid_z, carriedOpens, likelySplit: !!leap };
}

export function untraded(delisted: boolean): Unavailable {
  return delisted
    ? unavailable('delisted', 'The instrument was delisted before it traded enough within the window.')
    : unavailable('no_trade', 'There are too few trades within the window.');
}

function awaitsAction(at: Millis): Deferred {
  return deferred('suspected_split', `The price leaps as in a split at ${rfc3339(at)}, which is not known yet.`);
}

function factsOf(
  { anchor_time, end_time }: EvaluationCall,
  { path, fit, omega, grid_z, carriedOpens, likelySplit }: MeasuredTrades,
): Omit<Eval2Facts, keyof PathFacts> {
  return {
    method: 'eval/2',
    omega,
    grid_z,
    bars_traded: path.bars.length,
    bars_expected: fit,
    seconds_to_entry: (path.entry.ts - anchor_time) / SECOND,
    seconds_after_exit: (end_time - path.exit.ts) / SECOND,
    carried_open: carriedOpens > GRADING.carriedOpens,
    suspected_split: likelySplit,
  };
}

/**
 * What a deferral without a further try ends as (evaluation-2.md section 6).
 * @param leftList whether the instrument left the list of its exchange after it was verified
 */
export function givenUp(result: Deferred, leftList: boolean): Deferred | Unavailable {
  if (!leftList) return result;
  return unavailable('delisted', `The instrument is no longer listed, and its bars did not come. ${result.detail}`);
}

/** A source may drop the bars of an instrument that has left: then neither their number nor its history says anything. */
export function leftWithoutBars(
  { leftList = false }: EvidenceListing,
  { bars }: Pick<BarSeries, 'bars'>,
  anchor: Millis,
): Deferred | null {
  if (!leftList || bars.some(({ start }) => start >= anchor)) return null;
  return deferred('out_of_reach', 'The source has no bars of the window.');
}

/** A span of which the end may be missing. */
interface AwaitedSpan {
  readonly from: Millis;
  readonly until: Millis;
  /** The time before the end in which missing bars do not count. */
  readonly quiet: Millis;
}

/**
 * A deferral when whole bars are missing at the end of a span, and no later bar shows that the reply went past them:
 * for three days this counts as a late source. Bars without trades count as bars.
 */
export function latenessFault(
  calendar: Calendar,
  { size, bars }: BarSeries,
  span: AwaitedSpan,
  now: Millis,
): Deferred | null {
  if (now >= span.until + GRADING.lateSource || bars.some(({ end }) => end > span.until)) return null;
  const newest = Math.max(span.from, bars.at(-1)?.end ?? span.from);
  if (!lacksLastBars(calendar, size, span, newest)) return null;
  return deferred('source_behind', `There are no bars after ${rfc3339(newest)} yet.`);
}

/** Whether whole bars of the span are missing between the end of the newest one and the quiet time. */
function lacksLastBars(
  calendar: Calendar,
  size: BarSize,
  { from, until, quiet }: AwaitedSpan,
  newest: Millis,
): boolean {
  const [missing, due] = [Math.max(from, newest), until - quiet];
  return missing < due && barsExpected(calendar, size, missing, due) > 0;
}
