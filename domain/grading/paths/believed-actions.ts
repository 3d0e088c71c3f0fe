import type { CorporateAction } from '../../market/adjustment.ts';
import { type Bar, type BarSize, groupedBy } from '../../market/bars.ts';
import type { Calendar } from '../../market/calendar.ts';
import type { Millis } from '../../time.ts';
import { GRADING } from '../method-numbers.ts';
import { factorOf, type Price, pricesOf } from './stray-prices.ts';

/** Bars of one series, and those of them that traded, both ascending. */
interface TradedSeries {
  readonly size: BarSize;
  readonly bars: readonly Bar[];
  readonly traded: readonly Bar[];
  /** Those that are known, of which one may be dated just beyond the bars. */
  readonly actions?: readonly CorporateAction[];
}

/** Bars with the factors of the actions that their prices confirm. */
interface BelievedBars {
  readonly bars: readonly Bar[];
  readonly traded: readonly Bar[];
  /** The opens of the sessions whose night contradicts the action of their date. */
  readonly contradicted: ReadonlySet<Millis>;
  /** The opens of the sessions whose action takes effect in the night of a leap in which that of another date does, too. */
  readonly doubled: ReadonlySet<Millis>;
}

/**
 * Holds every step of the factors of more than 1.2 against the prices of its night (evaluation-3.md section 4). Where the
 * night is nearer to no move with the step than without, it fits. Else it takes effect one session earlier or later where
 * a leap is that it explains, and else its night contradicts it. A step that the next session takes back is none. A split
 * of the session before all bars, or after them, takes effect in the first or last night where a leap is that it explains.
 */
export function believedBars(calendar: Calendar, series: TradedSeries): BelievedBars {
  const { size, bars, traded, actions = [] } = series;
  const isTested = hasStep(traded) || actions.some(isLargeSplit);
  if (calendar.continuous || !isTested) return { bars, traded, contradicted: new Set(), doubled: new Set() };
  const days = daysOf(calendar, size, traded);
  const moved = new Map(atEdges(calendar, days, actions));
  const [contradicted, doubled] = [new Set<Millis>(), new Set<Millis>()];
  let base = days[0]?.bar.total ?? 1;
  for (const [i, day] of days.entries()) {
    const before = days[i - 1];
    const isTakenBack = !isStep(base, days[i + 1]?.bar.total ?? day.bar.total);
    if (!before || (isStep(base, day.bar.total) && isTakenBack)) continue;
    if (isStep(base, day.bar.total)) {
      const effect = effectOf(days, i);
      // A step that takes effect a session later, two before this one, is that of the same night.
      const [third, second] = [days[i - 3], days[i - 2]];
      if (effect === 'earlier' && third && second && moved.get(second.open) === third.bar) doubled.add(day.open);
      if (effect === 'earlier') moved.set(before.open, day.bar);
      if (effect === 'later') moved.set(day.open, before.bar);
      if (effect === 'none') contradicted.add(day.open);
    }
    base = day.bar.total;
  }
  const corrected = withFactors(calendar, moved);
  return { bars: bars.map(corrected), traded: traded.map(corrected), contradicted, doubled };
}

/** Factors of the first session where a split of its date shows in the night after it, and of the last one, in that before. */
function atEdges(
  calendar: Calendar,
  days: readonly Day[],
  actions: readonly CorporateAction[],
): readonly (readonly [Millis, Bar])[] {
  const ratioOn = (open: Millis) =>
    actions
      .filter((action) => isLargeSplit(action) && calendar.currentOrNext(action.at).open === open)
      .reduce((product, { value }) => product * value, 1);
  const shows = (ratio: number, one: Day | undefined, other: Day | undefined) =>
    ratio !== 1 && one && other && !isStep(one.bar.total, other.bar.total) && isLeap(one, other)
      ? explains(Math.log(ratio), one, other)
      : false;
  const [first, second] = days;
  const [last, previous] = [days.at(-1), days.at(-2)];
  if (!first || !last) return [];
  const [early, late] = [ratioOn(first.open), ratioOn(calendar.currentOrNext(last.last.bar.end).open)];
  return [
    ...(shows(early, first, second) ? [[first.open, scaled(first.bar, 1 / early)] as const] : []),
    ...(shows(late, previous, last) ? [[last.open, scaled(last.bar, late)] as const] : []),
  ];
}

function isLargeSplit({ kind, value }: CorporateAction): boolean {
  return kind === 'split' && isStep(1, value);
}

function scaled(bar: Bar, by: number): Bar {
  return { ...bar, split: bar.split * by, total: bar.total * by };
}

function hasStep(bars: readonly Bar[]): boolean {
  return bars.some(({ total }, i) => isStep(bars[i - 1]?.total ?? total, total));
}

function isStep(before: number, after: number): boolean {
  return before !== after && factorOf(before, after) > GRADING.testedAction;
}

/** The prices of one session. */
interface Day {
  readonly open: Millis;
  /** Its first bar, which has the factors of the session. */
  readonly bar: Bar;
  /** Its first and its last price that the prices next to it confirm. */
  readonly first: Price;
  readonly last: Price;
}

function daysOf(calendar: Calendar, size: BarSize, traded: readonly Bar[]): readonly Day[] {
  const prices = pricesOf(calendar, size, traded, { traded: undefined, any: undefined });
  const near = (a: Price, b: Price | undefined) =>
    b !== undefined && factorOf(a.value, b.value) <= GRADING.stray.apart.sessions;
  // The open of the first bar may be carried, and is then no price; it confirms the close all the same.
  const ownOpen = ({ bar, at }: Price) =>
    at === 'close' && factorOf(bar.open, bar.close) <= GRADING.stray.apart.sessions;
  const steady = prices.filter(
    (price, i) => near(price, prices[i - 1]) || near(price, prices[i + 1]) || (i === 0 && ownOpen(price)),
  );
  const sessions = groupedBy(steady, ({ bar }) => calendar.currentOrNext(bar.start).open);
  return [...sessions].flatMap(([open, each]) => {
    const [first, last] = [each[0], each.at(-1)];
    return first && last ? [{ open, bar: first.bar, first, last }] : [];
  });
}

/** Where the step at a day takes effect. */
function effectOf(days: readonly Day[], i: number): 'there' | 'earlier' | 'later' | 'none' {
  const [earliest, before, day, after] = [days[i - 2], days[i - 1], days[i], days[i + 1]];
  if (!before || !day) return 'there';
  const step = Math.log(day.bar.total / before.bar.total);
  if (explains(step, before, day)) return 'there';
  if (after && isLeap(day, after) && explains(step, day, after)) return 'later';
  return earliest && isLeap(earliest, before) && explains(step, earliest, before) ? 'earlier' : 'none';
}

/** Whether the raw move of a night is nearer to none with a step than without. */
function explains(step: number, { last }: Day, { first }: Day): boolean {
  const move = Math.log(first.price / last.price);
  return Math.abs(move + step) < Math.abs(move);
}

function isLeap({ last }: Day, { first }: Day): boolean {
  return factorOf(last.value, first.value) > GRADING.nightLeap.sessions;
}

function withFactors(calendar: Calendar, moved: ReadonlyMap<Millis, Bar>): (bar: Bar) => Bar {
  if (moved.size === 0) return (bar) => bar;
  return (bar) => {
    const factors = moved.get(calendar.currentOrNext(bar.start).open);
    return factors ? { ...bar, split: factors.split, total: factors.total } : bar;
  };
}
