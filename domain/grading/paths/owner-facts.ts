import type { Direction, Invalidation, PriceTargets } from '../../decisions/call.ts';
import { firstIndex } from '../../market/adjustment.ts';
import type { Bar } from '../../market/bars.ts';
import type { BarSeries } from '../../market/market-data.ts';
import { type Millis, rfc3339, SECOND } from '../../time.ts';
import type { EvaluationCall } from '../evaluation.ts';
import type { Level, LevelFacts, OwnerFacts, ReferencePriceFact, Touch } from '../outcome.ts';
import type { Path } from './path.ts';

interface MeasuredLevels {
  readonly path: Path;
  readonly levelBars: readonly Bar[];
  readonly levels?: LevelFacts | null;
}

/**
 * The facts of evaluation.md section 5 that only the owner sees.
 * @param levelBars the bars of the path as its levels are compared with: one of volume 0 touches none
 */
export function ownerFacts(
  call: EvaluationCall,
  { bars }: BarSeries,
  { path, levelBars, levels }: MeasuredLevels,
): OwnerFacts {
  const { data_cutoff, knowledge_cutoff } = call;
  const unit = barAt(bars, call.anchor_time) ?? path.entry.bar;
  return {
    levels: levels === undefined ? levelFacts(call, inUnitsOf(unit, { ...path, bars: levelBars })) : levels,
    reference_price: referencePrice(call, barAt(bars, data_cutoff)),
    knowledge_overlap: knowledge_cutoff === undefined ? null : data_cutoff < knowledge_cutoff,
  };
}

/** The bar that contains an instant, else the last one before it, of ascending ones. */
export function barAt(bars: readonly Bar[], at: Millis): Bar | undefined {
  return bars[firstIndex(bars, ({ start }) => start > at) - 1];
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

/** What a decision says about prices. */
export interface LevelCall {
  readonly direction: Direction;
  readonly price_targets?: PriceTargets | undefined;
  readonly invalidation?: readonly Invalidation[] | undefined;
}

/** The path in the units of the anchor: split-adjusted, not dividend-adjusted. */
interface LevelPath {
  readonly entry: { readonly ts: Millis; readonly price: number };
  readonly bars: readonly Pick<Bar, 'start' | 'end' | 'open' | 'high' | 'low' | 'volume'>[];
}

/**
 * How the path met the levels of a decision (evaluation.md section 5); null when it names none. A bar that reaches the
 * stop and a target counts as the stop; a trailing stop follows the best price of earlier bars and never loosens.
 */
export function levelFacts(call: LevelCall, { entry, bars }: LevelPath): LevelFacts | null {
  const watches = watchesOf(call, entry.price);
  if (watches.length === 0) return null;
  const followed = watches.filter((watch) => isBeyondEntry(watch, entry.price));
  const touches = follow(
    followed,
    entry.price,
    bars.filter(({ volume }) => volume !== 0),
  );
  const inPlan = touches.filter(({ kind }) => kind === 'target' || kind === 'stop');
  const secondsTo = (kind: Level['kind']) => {
    const touch = touches.find((candidate) => candidate.kind === kind);
    return touch ? (touch.at - entry.ts) / SECOND : null;
  };
  return {
    first_touch: inPlan.map(touchOf).at(0) ?? null,
    time_to_target: secondsTo('target'),
    time_to_stop: secondsTo('stop'),
    touches: touches.map(touchOf),
    invalid_at_entry: watches.filter((watch) => !isBeyondEntry(watch, entry.price)).map(({ level }) => level),
  };
}

export interface Watch {
  readonly level: Level;
  /** The level is touched by a price at or above it, or at or below it. */
  readonly side: 'above' | 'below';
  readonly trailing: boolean;
}

type LevelBar = LevelPath['bars'][number];

export type TimedTouch = Omit<Touch, 'time'> & { readonly at: Millis };

/** The stop comes first, then the targets from the nearest on: the order in which one bar's touches are listed. */
export function watchesOf({ direction, price_targets, invalidation }: LevelCall, entry: number): readonly Watch[] {
  const [gain, loss] = direction === 'bearish' ? (['below', 'above'] as const) : (['above', 'below'] as const);
  const stop = price_targets?.stop_loss;
  const targets = (price_targets?.targets ?? []).map(({ price }) => price);
  return [
    ...(stop ? [watch('stop', stop.price, loss, stop.kind === 'trailing')] : []),
    ...targets
      .toSorted((a, b) => Math.abs(a - entry) - Math.abs(b - entry))
      .map((price) => watch('target', price, gain)),
    ...(invalidation ?? []).map(({ kind, threshold }) => {
      return watch(kind, threshold, kind === 'rises_above' ? 'above' : 'below');
    }),
  ];
}

function watch(kind: Level['kind'], price: number, side: Watch['side'], trailing = false): Watch {
  return { level: { kind, price }, side, trailing };
}

export function isBeyondEntry({ level, side }: Watch, entry: number): boolean {
  return side === 'above' ? level.price > entry : level.price < entry;
}

function follow(watches: readonly Watch[], entry: number, bars: readonly LevelBar[]): readonly TimedTouch[] {
  const touches: TimedTouch[] = [];
  let open = watches;
  let [highest, lowest] = [entry, entry];
  for (const bar of bars) {
    const touched = touchesOf(open, bar, (watch) =>
      levelPrice(watch, entry, watch.side === 'below' ? highest : lowest),
    );
    touches.push(...touched.values());
    open = open.filter((watch) => !touched.has(watch));
    highest = Math.max(highest, bar.high);
    lowest = Math.min(lowest, bar.low);
  }
  return touches;
}

/** The current price of a level: a trailing one keeps its first distance to the best price so far. */
export function levelPrice({ level, trailing }: Watch, entry: number, best: number): number {
  return trailing ? best + level.price - entry : level.price;
}

/** The levels that one bar touches, in the order of time; when it touches the stop it touches no target. */
function touchesOf(open: readonly Watch[], bar: LevelBar, level: (watch: Watch) => number): Map<Watch, TimedTouch> {
  const reached = open.filter(({ side, ...watch }) => {
    const price = level({ side, ...watch });
    return side === 'above' ? bar.high >= price : bar.low <= price;
  });
  const stopped = reached.some((watch) => watch.level.kind === 'stop');
  const ambiguous = stopped && reached.some((watch) => watch.level.kind === 'target');
  const counted = reached.filter((watch) => !stopped || watch.level.kind !== 'target');
  const touches = counted.map((watch) => [watch, touch(watch, bar, level(watch), ambiguous)] as const);
  return new Map(touches.toSorted(([, a], [, b]) => a.at - b.at));
}

function touch({ level, side }: Watch, bar: LevelBar, price: number, ambiguous: boolean): TimedTouch {
  const gapped = side === 'above' ? bar.open >= price : bar.open <= price;
  return {
    ...level,
    at: gapped ? bar.start : bar.end,
    fill_price: gapped ? bar.open : price,
    ambiguous: ambiguous && level.kind === 'stop',
  };
}

export function touchOf({ at, ...touch }: TimedTouch): Touch {
  return { ...touch, time: rfc3339(at) };
}
