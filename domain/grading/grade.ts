import type { Direction } from '../decisions/call.ts';
import type { Bar } from '../market/bars.ts';
import type { Calendar } from '../market/calendar.ts';
import type { BarSeries } from '../market/market-data.ts';
import { type Millis, rfc3339 } from '../time.ts';
import { bucketOf } from './bucket.ts';
import type { Observation } from './coverage.ts';
import { EVAL_1 } from './eval-1.ts';
import type { EvaluationCall } from './evaluation.ts';
import { adjusted, excursions, fractionInFavour, realisedVolatility } from './excursion.ts';
import { levelFacts } from './levels.ts';
import type { Outcome, OutcomeFacts, OwnerFacts, PricePoint, ReferencePriceFact, StoredBar } from './outcome.ts';
import { type Path, type PriceEvent, tauOf } from './path.ts';
import { regimeAt } from './regime.ts';

/** The inputs of an outcome, checked to be sufficient. */
export interface Measured {
  readonly path: Path;
  readonly series: BarSeries;
  readonly daily: BarSeries;
  readonly seen: Observation;
  readonly sigma_d: number;
  readonly delisted: boolean;
}

/** Bucket and facts of a decision (evaluation.md sections 3 to 5 and 7). */
export function outcomeOf(calendar: Calendar, call: EvaluationCall, measured: Measured): Outcome {
  const { entry, exit, bars } = measured.path;
  const tau = tauOf(calendar, entry.ts, exit.ts);
  const sigmaH = measured.sigma_d * Math.sqrt(tau);
  const z0 = Math.log(adjusted(exit) / adjusted(entry)) / sigmaH;
  return {
    result_bucket: bucketOf(call.direction, z0),
    created_regime: regimeAt(calendar, measured.daily.bars, call.anchor_time),
    facts: publicFacts(call.direction, measured, { tau, sigmaH, z0 }),
    owner_facts: ownerFacts(call, measured),
    bars: bars.map(storedBar),
  };
}

function publicFacts(
  direction: Direction,
  { path, series, seen, sigma_d, delisted }: Measured,
  { tau, sigmaH, z0 }: { readonly tau: number; readonly sigmaH: number; readonly z0: number },
): OutcomeFacts {
  const { entry, exit } = path;
  const raw_return = adjusted(exit) / adjusted(entry) - 1;
  return {
    method: EVAL_1.method,
    source: series.source,
    bar_size: series.size,
    entry: pricePoint(entry, exit),
    exit: pricePoint(exit, exit),
    raw_return,
    directional_return: direction === 'neutral' ? null : withSign(direction, raw_return),
    sigma_d,
    tau,
    z: direction === 'neutral' ? Math.abs(z0) : withSign(direction, z0),
    ...excursions(direction, path),
    fraction_in_favour: fractionInFavour(direction, path, sigmaH),
    realised_volatility: realisedVolatility(path),
    coverage: seen.coverage,
    halted: seen.longestHalt > 0,
    delisted_exit: delisted,
  };
}

function ownerFacts(call: EvaluationCall, { path, series }: Measured): OwnerFacts {
  const { data_cutoff, knowledge_cutoff } = call;
  return {
    levels: levelFacts(call, inUnitsOf(barAt(series.bars, call.anchor_time) ?? path.entry.bar, path)),
    reference_price: referencePrice(call, barAt(series.bars, data_cutoff)),
    knowledge_overlap: knowledge_cutoff === undefined ? null : data_cutoff < knowledge_cutoff,
  };
}

/** The bar that contains an instant, else the last one before it. */
function barAt(bars: readonly Bar[], at: Millis): Bar | undefined {
  return bars.findLast(({ start }) => start <= at);
}

function inUnitsOf(unit: Bar, { entry, bars }: Path) {
  return {
    entry: { ts: entry.ts, price: (entry.price * entry.bar.split) / unit.split },
    bars: bars.map((bar) => {
      const factor = bar.split / unit.split;
      return { ...bar, open: bar.open * factor, high: bar.high * factor, low: bar.low * factor };
    }),
  };
}

function referencePrice({ reference_price }: EvaluationCall, bar: Bar | undefined): ReferencePriceFact | null {
  if (reference_price === undefined || !bar) return null;
  const { start, end, low, high } = bar;
  return {
    price: reference_price,
    bar: { start: rfc3339(start), end: rfc3339(end), low, high },
    within_bar: low <= reference_price && reference_price <= high,
  };
}

function pricePoint(event: PriceEvent, exit: PriceEvent): PricePoint {
  return {
    time: rfc3339(event.ts),
    price: event.price,
    adjusted_price: event.price * (event.bar.total / exit.bar.total),
  };
}

/** Never a negative zero. */
function withSign(direction: Direction, value: number): number {
  return direction === 'bearish' ? 0 - value : value;
}

/** A bar with its times as documents write them. */
export function storedBar(bar: Bar): StoredBar {
  return { ...bar, start: barTime(bar.start), end: barTime(bar.end) };
}

/** Bars of all instruments share their start and end times, and formatting one takes longer than a look-up. */
const written = new Map<Millis, string>();
const MOST_WRITTEN = 20_000;

function barTime(at: Millis): string {
  const known = written.get(at);
  if (known !== undefined) return known;
  if (written.size >= MOST_WRITTEN) written.clear();
  const text = rfc3339(at);
  written.set(at, text);
  return text;
}
