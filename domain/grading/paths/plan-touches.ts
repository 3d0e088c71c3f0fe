import type { Bar } from '../../market/bars.ts';
import { type Millis, SECOND } from '../../time.ts';
import type { Level, LevelFacts } from '../outcome.ts';
import {
  isBeyondEntry,
  type LevelCall,
  levelPrice,
  type TimedTouch,
  touchOf,
  type Watch,
  watchesOf,
} from './owner-facts.ts';
import type { PriceEvent } from './path.ts';

/** A bar of a path as levels are compared with it. */
export interface PlanBar {
  readonly bar: Bar;
  /** Whether its open is a price that stays. */
  readonly opens: boolean;
}

/** The entry and the bars of a path, and the bar in whose units the levels are. */
interface PlanPath {
  readonly entry: PriceEvent;
  readonly bars: readonly PlanBar[];
  readonly unit: Bar;
}

/**
 * How a path met the levels of a decision (evaluation-3.md section 8); null when it names none. The open of a bar comes
 * before the rest of it. A plan with an entry is followed from the bar that reaches it: the stop with that bar, what
 * else there is with the next one.
 */
export function planTouches(call: LevelCall, { entry, bars, unit }: PlanPath): LevelFacts | null {
  const start = (entry.price * entry.bar.split) / unit.split;
  const planned = call.price_targets?.entry;
  const base = planned ?? start;
  const watches = watchesOf(call, base);
  if (watches.length === 0 && planned === undefined) return null;
  const steps = bars.map((each) => inUnits(each, unit));
  const reached =
    planned === undefined || planned === start ? 0 : steps.findIndex((step) => reaches(step, start, planned));
  const followed = watches.filter((watch) => isBeyondEntry(watch, base));
  const isImmediate = planned === undefined || planned === start;
  const entered = isImmediate ? steps : fromEntry(steps.slice(Math.max(0, reached)), start, base);
  const touches = reached < 0 ? [] : follow(followed, base, entered, isImmediate);
  const secondsTo = (kind: Level['kind']) => {
    const touch = touches.find((candidate) => candidate.kind === kind);
    return touch ? (touch.at - entry.ts) / SECOND : null;
  };
  return {
    first_touch: touches.filter(({ kind }) => kind === 'target' || kind === 'stop').map(touchOf)[0] ?? null,
    time_to_target: secondsTo('target'),
    time_to_stop: secondsTo('stop'),
    touches: touches.map(touchOf),
    invalid_at_entry: watches.filter((watch) => !isBeyondEntry(watch, base)).map(({ level }) => level),
    entry_reached: planned === undefined ? null : reached >= 0,
  };
}

/** A bar in the units of the anchor. */
interface Step {
  readonly start: Millis;
  readonly end: Millis;
  /** null where it is no price that stays. */
  readonly open: number | null;
  readonly high: number;
  readonly low: number;
}

function inUnits({ bar, opens }: PlanBar, unit: Bar): Step {
  const factor = bar.split / unit.split;
  const { start, end, open, high, low } = bar;
  return { start, end, open: opens ? open * factor : null, high: high * factor, low: low * factor };
}

/** The bar that reaches the entry opens for the levels only where its open already does. */
function fromEntry([first, ...rest]: readonly Step[], start: number, planned: number): readonly Step[] {
  if (!first) return [];
  const { open } = first;
  const isAtOnce = open !== null && reaches({ high: open, low: open }, start, planned);
  return [isAtOnce ? first : { ...first, open: null }, ...rest];
}

/** Whether a bar reaches the entry of a plan, seen from the first price. */
function reaches({ high, low }: Pick<Step, 'high' | 'low'>, start: number, planned: number): boolean {
  return planned > start ? high >= planned : low <= planned;
}

/** @param isImmediate whether all levels are followed from the first bar on, and not the stop alone in that one */
function follow(
  watches: readonly Watch[],
  entry: number,
  steps: readonly Step[],
  isImmediate: boolean,
): readonly TimedTouch[] {
  const touches: TimedTouch[] = [];
  let open = watches;
  let [highest, lowest] = [entry, entry];
  for (const [i, step] of steps.entries()) {
    const isEntryBar = i === 0 && !isImmediate;
    const followed = isEntryBar ? open.filter(({ level }) => level.kind === 'stop') : open;
    const [high, low] = [highest, lowest];
    const priceOf = (watch: Watch) => levelPrice(watch, entry, watch.side === 'below' ? high : low);
    const touched = touchesOf(followed, step, priceOf);
    touches.push(...touched.values());
    open = open.filter((watch) => !touched.has(watch));
    highest = Math.max(highest, step.high);
    lowest = Math.min(lowest, step.low);
  }
  return touches;
}

/** The levels that one bar touches, in the order of time: by its open, then the stop, then what else is within its range. */
function touchesOf(open: readonly Watch[], step: Step, priceOf: (watch: Watch) => number): Map<Watch, TimedTouch> {
  const first = open.filter((watch) => step.open !== null && isBeyond(watch, priceOf(watch), step.open));
  const later = open.filter((watch) => {
    return !first.includes(watch) && isBeyond(watch, priceOf(watch), watch.side === 'above' ? step.high : step.low);
  });
  const ambiguous =
    later.some(({ level }) => level.kind === 'stop') && later.some(({ level }) => level.kind === 'target');
  const ordered = [
    ...later.filter(({ level }) => level.kind === 'stop'),
    ...later.filter(({ level }) => level.kind !== 'stop'),
  ];
  return new Map([
    ...first.map(
      (watch) => [watch, { ...watch.level, at: step.start, fill_price: step.open ?? 0, ambiguous: false }] as const,
    ),
    ...ordered.map((watch) => {
      const isStop = watch.level.kind === 'stop';
      return [
        watch,
        { ...watch.level, at: step.end, fill_price: priceOf(watch), ambiguous: isStop && ambiguous },
      ] as const;
    }),
  ]);
}

/** A price exactly at a level reaches it. */
function isBeyond({ side }: Watch, level: number, price: number): boolean {
  return side === 'above' ? price >= level : price <= level;
}
