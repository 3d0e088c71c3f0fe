import { type Bar, type BarSize, barsExpected, lengthOf, tradedBars } from '../market/bars.ts';
import type { Calendar } from '../market/calendar.ts';
import { calendarOf } from '../market/calendars/by-venue.ts';
import { instrumentKey } from '../market/instrument.ts';
import { type BarSeries, NO_ACTIONS_KNOWN } from '../market/market-data.ts';
import { type Millis, rfc3339, SECOND } from '../time.ts';
import {
  barsOfSize,
  coverageFault,
  finalEvidence,
  judgedSpan,
  type Observation,
  observe,
  sizeFor,
} from './bars/coverage.ts';
import { type JudgedDays, judgeDays, type RecentHistory, recentHistory, sessionsAfter } from './bars/recent-history.ts';
import { EVAL_2, latenessFault, leftWithoutBars, untraded } from './eval-2.ts';
import {
  type BarsNeeded,
  type Deferred,
  deferred,
  type Evaluation,
  type EvaluationCall,
  type EvaluationMethod,
  type Evidence,
  type FurtherBars,
  type MarketEvidence,
  type Unavailable,
  unavailable,
} from './evaluation.ts';
import { type Measured, outcomeOf, withFacts } from './grade.ts';
import type { Eval3Facts, MarketMove } from './method-facts.ts';
import { GRADING } from './method-numbers.ts';
import type { LeftOutPrice, Outcome } from './outcome.ts';
import { believedBars } from './paths/believed-actions.ts';
import {
  hasTradeBefore,
  type JudgedPrices,
  type JudgedWindow,
  judgeWindow,
  type PricePath,
  pricePath,
} from './paths/judged-path.ts';
import { withOperatorActions } from './paths/operator-actions.ts';
import { barAt } from './paths/owner-facts.ts';
import type { PathFacts } from './paths/path-facts.ts';
import { planTouches } from './paths/plan-touches.ts';
import { gridFault, gridZ } from './paths/price-step.ts';
import { factorOf, type NightLeap, nightLeaps, type Price } from './paths/stray-prices.ts';
import { tauWithNights } from './paths/volatility.ts';
import { quietTime } from './windows/window.ts';

/** The method of evaluation-3.md: that of evaluation-2.md without prices that nobody could trade at again. */
export const EVAL_3: EvaluationMethod<'eval/3'> = {
  name: 'eval/3',
  resolves: EVAL_2.resolves,
  beginsLate: EVAL_2.beginsLate,
  endsEarly: EVAL_2.endsEarly,
  givenUp: EVAL_2.givenUp,

  barsNeeded(call, sizes) {
    const size = sizeFor(call, sizes, (each) => EVAL_3.resolves(call, each));
    return size ? barsNeededOf(call, size) : EVAL_2.barsNeeded(call, sizes);
  },

  evaluate(call, evidence, now) {
    const calendar = calendarOf(call.instrument);
    const final = withOperatorActions(calendar, finalEvidence(calendar, evidence, now));
    const measured = measurePrices(call, final, now);
    if ('kind' in measured) return measured;
    const outcome = outcomeOf(calendar, call, judgedEvidence(final, measured), measured);
    return computable(withFacts(withLeftOut(outcome, measured), factsOf(call, final, measured)));
  },
};

/** The bars of `eval/2`, with those by which the prices around the window, and those of the days before it, are judged. */
function barsNeededOf(call: EvaluationCall, size: BarSize): BarsNeeded {
  const calendar = calendarOf(call.instrument);
  const { daily, ...needed } = barsOfSize(call, size);
  const from = Math.min(call.anchor_time, call.data_cutoff);
  return {
    ...needed,
    path: { size, ...judgedSpan(calendar, size, from, call.end_time) },
    daily: { ...daily, to: sessionsAfter(calendar, call.anchor_time) },
  };
}

/** What `eval/3` measured: its own facts are derived from it. */
export interface MeasuredPrices extends Measured {
  readonly path: PricePath;
  readonly fit: number;
  readonly grid_z: number;
  readonly history: RecentHistory;
  readonly leaps: readonly NightLeap[];
  readonly suspectedPrice: boolean;
  readonly stray: { readonly path: readonly Price[]; readonly history: readonly Price[] };
  /** The bars by which the path and the regime were measured. */
  readonly bars: { readonly path: readonly Bar[]; readonly daily: readonly Bar[] };
}

/** The checks of evaluation-3.md section 10 in their order, on final bars; what stops an evaluation, else what it measured. */
export function measurePrices(
  call: EvaluationCall,
  evidence: Evidence,
  now: Millis,
): MeasuredPrices | Deferred | Unavailable {
  const { path: series, listing } = evidence;
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
  return measureWindow({ calendar, call, evidence, now, until, fit, seen, late });
}

/** A window that its source covers. */
interface CoveredWindow {
  readonly calendar: Calendar;
  readonly call: EvaluationCall;
  readonly evidence: Evidence;
  readonly now: Millis;
  readonly until: Millis;
  readonly fit: number;
  readonly seen: Observation;
  readonly late: (quiet: Millis) => Deferred | null;
}

function measureWindow(covered: CoveredWindow): MeasuredPrices | Deferred | Unavailable {
  const { calendar, call, evidence, now, until, fit, late } = covered;
  const { known = NO_ACTIONS_KNOWN, daily } = evidence;
  const days = judgeDays(calendar, daily.bars, call.anchor_time, known.listed_on);
  const pathWindow = windowOf(covered, days);
  const history = recentHistory(calendar, days);
  // Without a history no further bar decides anything.
  if ('kind' in pathWindow) return 'kind' in history ? history : pathWindow;
  const { window, contradiction } = pathWindow;
  if (contradiction !== undefined)
    return contradicts(calendar.currentOrNext(contradiction).date, now < call.end_time + GRADING.stray.wait);
  const judged = judgeWindow(calendar, window);
  const later = 'kind' in history ? null : laterBars(covered, judged, window);
  if (later) return needs(later, 'The prices after the window decide on its last ones.');
  if ('kind' in history) return history;
  const path = pricePath(calendar, window, judged.staying);
  // Too few trades are final once a later bar, or time, shows that the source is not just a few minutes late.
  if (!path) return late(0) ?? untraded(until < call.end_time);
  const open = judged.open ?? days.open;
  if (open && now < call.end_time + GRADING.stray.wait) return awaitsPrices(open);
  const { omega, sigma_d } = history;
  const sigmaOfWindow = sigma_d * Math.sqrt(tauWithNights(calendar, omega, call.anchor_time, call.end_time));
  const grid_z = gridZ(history.bars, { price: path.entry.price, split: path.entry.bar.split }, sigmaOfWindow);
  const coarse = gridFault(grid_z);
  if (coarse) return coarse;
  const leaps = nightLeaps(calendar, path.prices, known);
  const young = leaps.find(({ after }) => now < after.ts + GRADING.nightLeap.wait);
  if (young) return awaitsAction(young);
  const delisted = until < call.end_time;
  return {
    ...{ path, fit, grid_z, history, leaps, sigma_d, delisted, seen: covered.seen, levelBars: path.bars },
    tau: tauWithNights(calendar, omega, path.entry.ts, path.exit.ts),
    levels: levelsOf(call, path, window),
    suspectedPrice: open !== null && !delisted,
    stray: { path: judged.stray, history: days.stray },
    bars: { path: window.bars, daily: days.closed },
  };
}

/** The window with the bars that are believed; the first night on its path that contradicts its action. */
interface BelievedWindow {
  readonly window: JudgedWindow;
  readonly contradiction: Millis | undefined;
}

/** Or the bars that the evidence lacks before it: those that show the last price before the anchor (evaluation-3.md 6). */
function windowOf(
  { calendar, call, evidence, until, fit }: CoveredWindow,
  { volumeIsKnown, lastDay }: JudgedDays,
): BelievedWindow | Deferred {
  const { path, later, earlier = [] } = evidence;
  const { anchor_time: anchor } = call;
  const all = later ? [...path.bars, ...later.bars] : path.bars;
  const hasTrade = hasTradeBefore(all, volumeIsKnown, anchor);
  const found = hasTrade ? undefined : lastTradedBefore(earlier, volumeIsKnown, anchor);
  const further = hasTrade || found ? null : earlierBars(path.size, earlier.length, anchor);
  if (further) return needs(further, 'The last price before the anchor is not known yet.');
  const day = lastDay && lastDay.end > anchor - GRADING.lookBack.any ? lastDay : undefined;
  const before = hasTrade ? undefined : (found ?? day);
  const traded = tradedBars(all, volumeIsKnown);
  const { actions } = evidence.known ?? NO_ACTIONS_KNOWN;
  const believed = believedBars(calendar, { size: path.size, bars: all, traded, actions });
  const first = believed.traded.find(({ start }) => start >= anchor)?.start ?? anchor;
  const contradiction = [...believed.contradicted].find((open) => open > first && open <= until);
  const { bars } = believed;
  return {
    window: { size: path.size, anchor, until, fit, bars, traded: believed.traded, before },
    contradiction,
  };
}

/** The last bar with trades of the finest size in which there is one. */
function lastTradedBefore(earlier: readonly BarSeries[], volumeIsKnown: boolean, anchor: Millis): Bar | undefined {
  for (const { bars } of earlier) {
    const last = tradedBars(bars, volumeIsKnown).findLast(({ end }) => end <= anchor);
    if (last) return last;
  }
  return undefined;
}

/** Where the last price is looked for beside the days: in the size of the path for a day, then in hours. */
function lookBacks(size: BarSize): readonly { readonly size: BarSize; readonly span: Millis }[] {
  const { sameSize, any } = GRADING.lookBack;
  if (size === '1d') return [];
  const hours = { size: '1h', span: any } as const;
  return size === '1h' ? [hours] : [{ size, span: sameSize }, hours];
}

function earlierBars(size: BarSize, count: number, anchor: Millis): FurtherBars | null {
  const step = lookBacks(size)[count];
  if (!step) return null;
  const length = lengthOf(step.size);
  const to = Math.floor(anchor / length) * length;
  return { place: 'earlier', size: step.size, from: to - step.span, to };
}

/** The bars after the path that decide on a run far away from the price before it (evaluation-3.md section 2). */
function laterBars(
  { calendar, call, evidence, now }: CoveredWindow,
  { open, staying }: JudgedPrices,
  { size }: JudgedWindow,
): FurtherBars | null {
  const [first] = open ?? [];
  if (!first || evidence.later) return null;
  const before = staying[staying.indexOf(first) - 1];
  if (!before || factorOf(first.value, before.value) <= GRADING.stray.far) return null;
  const [from, to] = [barsNeededOf(call, size).path.to, sessionsAfter(calendar, call.end_time)];
  return from < Math.min(to, now) ? { place: 'later', size, from, to } : null;
}

function needs(further: FurtherBars, detail: string): Deferred {
  return { ...deferred('source_behind', detail), needs: further };
}

function contradicts(date: string, isYoung: boolean): Deferred | Unavailable {
  const detail = `The corporate action of ${date} does not fit the prices of that night.`;
  return isYoung ? deferred('action_contradicts_prices', detail) : unavailable('action_contradicts_prices', detail);
}

function awaitsPrices([first]: readonly Price[]): Deferred {
  const at = first ? ` since ${rfc3339(first.ts)}` : '';
  return deferred('suspected_price', `The prices${at} are far from those before, and none after them is known yet.`);
}

function awaitsAction({ before, after, isReal }: NightLeap): Deferred {
  const leap = `The price leaps from ${before.price} to ${after.price} at ${rfc3339(after.ts)}`;
  const detail = isReal ? `${leap}, and a corporate action may still come.` : `${leap}, and nothing explains it yet.`;
  return deferred('suspected_split', detail);
}

function levelsOf(call: EvaluationCall, { entry, planBars }: PricePath, { bars, anchor }: JudgedWindow) {
  return planTouches(call, { entry, bars: planBars, unit: barAt(bars, anchor) ?? entry.bar });
}

/** The evidence with the bars by which it was measured. */
function judgedEvidence(evidence: Evidence, { bars }: MeasuredPrices): Evidence {
  const { path, daily } = evidence;
  return { ...evidence, path: { ...path, bars: bars.path }, daily: { ...daily, bars: bars.daily } };
}

function withLeftOut(outcome: Outcome<PathFacts>, { stray }: MeasuredPrices): Outcome<PathFacts> {
  const leftOut = (of: LeftOutPrice['of']) =>
    stray[of].map(({ at, ts, price }) => ({ of, at, time: rfc3339(ts), price }));
  const left_out = [...leftOut('history'), ...leftOut('path')];
  return { ...outcome, owner_facts: { ...outcome.owner_facts, left_out } };
}

function factsOf(
  { instrument, anchor_time, end_time }: EvaluationCall,
  { market }: Evidence,
  { path, fit, grid_z, history, leaps, suspectedPrice, stray }: MeasuredPrices,
): Omit<Eval3Facts, keyof PathFacts> {
  const real = leaps.filter(({ isReal }) => isReal).map(({ ratio }) => ratio);
  return {
    method: 'eval/3',
    omega: history.omega,
    grid_z,
    bars_traded: path.bars.length,
    bars_expected: fit,
    seconds_to_entry: (path.entry.ts - anchor_time) / SECOND,
    seconds_after_exit: (end_time - path.exit.ts) / SECOND,
    carried_open: history.carriedOpens > GRADING.carriedOpens,
    suspected_split: leaps.some(({ isReal }) => !isReal),
    suspected_price: suspectedPrice,
    prices_left_out: { path: stray.path.length, history: stray.history.length },
    night_leap: real.toSorted((a, b) => factorOf(b, 1) - factorOf(a, 1))[0] ?? null,
    history_from: history.from,
    market: marketMove(instrument, market, path),
  };
}

/**
 * What the reference of the venue did between entry and exit, by its daily closes (evaluation-3.md section 7); null where
 * they are of one day or not at hand, and for the reference itself.
 */
function marketMove(
  instrument: EvaluationCall['instrument'],
  market: MarketEvidence | undefined,
  { entry, exit }: Pick<PricePath, 'entry' | 'exit'>,
): MarketMove | null {
  if (!market || market.instrument === instrumentKey(instrument)) return null;
  const closeAt = (at: Millis) => market.daily.bars.findLast(({ end }) => end <= at);
  const [first, last] = [closeAt(entry.ts), closeAt(exit.ts)];
  if (!first || !last || first === last) return null;
  const move = (last.close * last.total) / (first.close * first.total) - 1;
  return Number.isFinite(move) && move > -1 ? { instrument: market.instrument, move } : null;
}

/** No outcome holds a number that is not finite, nor a loss of everything (evaluation-3.md section 4). */
function computable(outcome: Outcome<Eval3Facts>): Evaluation<Eval3Facts> {
  const { facts, owner_facts, created_regime } = outcome;
  if (facts.raw_return > -1 && [facts, owner_facts, created_regime].every(hasFiniteNumbers))
    return { kind: 'evaluated', outcome };
  return unavailable('not_computable', 'The prices give a number that is none, or a loss of everything or more.');
}

function hasFiniteNumbers(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(hasFiniteNumbers);
}
