import { DIRECTIONS, type Direction } from '../decisions/call.ts';
import { firstIndex } from '../market/adjustment.ts';
import type { Bar, BarSize } from '../market/bars.ts';
import { calendarOf } from '../market/calendars/by-venue.ts';
import type { Instrument } from '../market/instrument.ts';
import { type BarSeries, type KnownActions, NO_ACTIONS_KNOWN } from '../market/market-data.ts';
import type { Millis } from '../time.ts';
import { finalEvidence } from './bars/coverage.ts';
import { hadSaid } from './bucket.ts';
import { EVAL_3, type MeasuredPrices, measurePrices } from './eval-3.ts';
import type { BarsNeeded, Deferred, EvaluationCall, Evidence, Unavailable } from './evaluation.ts';
import { moveOf } from './grade.ts';
import type { MethodName } from './method-facts.ts';
import type { ResultBucket } from './outcome.ts';
import { withOperatorActions } from './paths/operator-actions.ts';
import { endTime, type Horizon, planWindow } from './windows/window.ts';

/** How often each bucket results for each direction, whatever the moment: what a decision without skill gets. */
export interface BaseRates {
  readonly method: MethodName;
  /** The windows that lie within the bars and that a submission may have. */
  readonly starts: number;
  readonly graded: number;
  /** How many of the others have each reason; those with a likely split are among them. */
  readonly ungraded: Readonly<Record<string, number>>;
  readonly counts: Readonly<Record<Direction, Readonly<Record<ResultBucket, number>>>>;
}

/** All bars of an instrument, of one source. */
export interface KnownBars {
  readonly instrument: Instrument;
  readonly path: BarSeries;
  readonly daily: BarSeries;
  /** What is known of corporate actions besides the factors of the bars; nothing unless given. */
  readonly known?: KnownActions;
}

/**
 * The buckets of all past windows of a horizon for the three directions (evaluation-2.md sections 4 and 7), by `eval/3`. Windows of
 * trading days start at every open, those of seconds at every bar.
 */
export function baseRates(known: KnownBars, horizon: Horizon, now: Millis): BaseRates {
  const calendar = calendarOf(known.instrument);
  const evidence = { ...known, known: known.known ?? NO_ACTIONS_KNOWN, listing: { delisted_at: null } };
  const { path, daily } = withOperatorActions(calendar, finalEvidence(calendar, evidence, now));
  const end = path.bars.at(-1)?.end ?? 0;
  const ungraded: Record<string, number> = {};
  const counts = { bullish: noCounts(), bearish: noCounts(), neutral: noCounts() };
  let [starts, graded] = [0, 0];
  for (const anchor_time of startsOf(known.instrument, path.bars, horizon)) {
    const call = callAt(known.instrument, horizon, anchor_time);
    if (!call || call.end_time > end) continue;
    starts += 1;
    const z0 = moveIn(call, { ...known, path, daily }, now);
    if (typeof z0 === 'string') {
      ungraded[z0] = (ungraded[z0] ?? 0) + 1;
      continue;
    }
    graded += 1;
    const said = hadSaid(z0);
    for (const direction of DIRECTIONS) counts[direction][said[direction]] += 1;
  }
  return { method: EVAL_3.name, starts, graded, ungraded, counts };
}

function noCounts(): Record<ResultBucket, number> {
  return { strong_correct: 0, weak_correct: 0, weak_incorrect: 0, strong_incorrect: 0 };
}

function startsOf(instrument: Instrument, bars: readonly Bar[], { horizon_kind }: Horizon): readonly Millis[] {
  const [first, last] = [bars[0], bars.at(-1)];
  if (!first || !last) return [];
  if (horizon_kind === 'holding_seconds') return bars.map(({ start }) => start);
  return calendarOf(instrument)
    .sessions(first.start, last.end)
    .map(({ open }) => open);
}

/** A decision at that instant; null where the horizon is not admitted. */
function callAt(instrument: Instrument, horizon: Horizon, anchor_time: Millis): EvaluationCall | null {
  const terms = { instrument, ...horizon, data_cutoff: anchor_time };
  if (Array.isArray(planWindow(terms, anchor_time))) return null;
  return { ...terms, direction: 'bullish', anchor_time, end_time: endTime(terms, anchor_time) };
}

/** The move of the window in sigmas, or the reason why it is not graded. */
function moveIn(
  call: EvaluationCall,
  { path, daily, known = NO_ACTIONS_KNOWN }: KnownBars,
  now: Millis,
): number | string {
  const needed = EVAL_3.barsNeeded(call, sizesOf(path, daily));
  if (needed.kind !== 'bars') return needed.reason;
  const series = needed.path.size === path.size ? path : daily;
  const evidence = { path: within(series, needed.path), daily: within(daily, needed.daily), known };
  const measured = measuredFrom(series, call, { ...evidence, listing: { delisted_at: null } }, now);
  if ('kind' in measured) return measured.reason;
  if (measured.suspectedPrice) return 'suspected_price';
  return measured.leaps.some(({ isReal }) => !isReal) ? 'suspected_split' : moveOf(measured).z0;
}

/** With the further bars that the window needs, as far as the series has them. */
function measuredFrom(
  series: BarSeries,
  call: EvaluationCall,
  evidence: Evidence,
  now: Millis,
): MeasuredPrices | Deferred | Unavailable {
  const measured = measurePrices(call, evidence, now);
  if (!('kind' in measured) || measured.kind !== 'deferred' || !measured.needs) return measured;
  const { place, size, ...span } = measured.needs;
  const further = size === series.size ? within(series, span) : { ...series, size, bars: [] };
  const { earlier = [] } = evidence;
  const more = place === 'later' ? { later: further } : { earlier: [...earlier, further] };
  return measuredFrom(series, call, { ...evidence, ...more }, now);
}

function sizesOf(path: BarSeries, daily: BarSeries): readonly BarSize[] {
  return [...new Set([path.size, daily.size])];
}

function within(series: BarSeries, { from, to }: Pick<BarsNeeded['path'], 'from' | 'to'>): BarSeries {
  const { bars } = series;
  const first = firstIndex(bars, ({ start }) => start >= from);
  const last = firstIndex(bars, ({ end }) => end > to);
  return { ...series, bars: bars.slice(first, Math.max(first, last)) };
}
