import { barsExpected } from '../market/bar-grid.ts';
import { calendarOf } from '../market/calendars/by-venue.ts';
import { tradedBars } from '../market/traded-bars.ts';
import { type Millis, rfc3339, SECOND } from '../time.ts';
import { barsOfSize, sizeFor } from './bars/bars-needed.ts';
import { coverageFault, observe } from './bars/coverage.ts';
import { finalEvidence } from './bars/final-bars.ts';
import { tradedHistory } from './bars/traded-history.ts';
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
import type { Eval2Facts } from './method-facts.ts';
import { GRADING } from './method-numbers.ts';
import { tauWithNights } from './paths/nights.ts';
import type { PathFacts } from './paths/path-facts.ts';
import { gridFault, gridZ } from './paths/price-step.ts';
import { suspectedSplit } from './paths/suspected-splits.ts';
import { tradedPath } from './paths/traded-path.ts';
import { givenUp, leftWithoutBars } from './windows/giving-up.ts';
import { lacksLastBars, latenessFault } from './windows/lateness.ts';
import { quietTime, tradeDeadline } from './windows/window-edges.ts';

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
export function measureTrades(
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

function untraded(delisted: boolean): Unavailable {
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
