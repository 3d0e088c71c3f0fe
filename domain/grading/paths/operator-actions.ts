import { type CorporateAction, type Factors, factorsOf } from '../../market/adjustment.ts';
import { type Bar, groupedBy } from '../../market/bars.ts';
import type { Calendar } from '../../market/calendar.ts';
import { BAR_FILES, type BarSeries, type KnownActions } from '../../market/market-data.ts';
import { DAY, type Millis } from '../../time.ts';
import type { Evidence } from '../evaluation.ts';
import { GRADING } from '../method-numbers.ts';

/**
 * The evidence with the factors that an operator's file of actions gives its bars (evaluation-3.md section 1). It counts
 * with every source: on a date of which it has rows, these replace what the source says of that date, and the same action
 * of the source on a date near it, so that it is counted once. Bar files have the factors of their own rows already.
 */
export function withOperatorActions(calendar: Calendar, evidence: Evidence): Evidence {
  const { path, daily, earlier, later, known } = evidence;
  const stated = known && path.source !== BAR_FILES ? statedBy(calendar, known) : null;
  if (!stated || stated.size === 0) return evidence;
  const all = [path, ...(earlier ?? []), ...(later ? [later] : []), daily].flatMap(({ bars }) => bars);
  const corrections = correctionsOf(calendar, stated, all);
  if (corrections.length === 0) return evidence;
  const corrected = (series: BarSeries) => ({
    ...series,
    bars: series.bars.map((bar) => withFactors(bar, corrections)),
  });
  return {
    ...evidence,
    ...{ path: corrected(path), daily: corrected(daily) },
    ...(earlier && { earlier: earlier.map(corrected) }),
    ...(later && { later: corrected(later) }),
  };
}

/** The operator's splits and dividends by the open of their session, in the order of time; no rows where there are none. */
function statedBy(
  calendar: Calendar,
  { actions, none }: KnownActions,
): ReadonlyMap<Millis, readonly CorporateAction[]> {
  const openOf = (at: Millis) => calendar.currentOrNext(at).open;
  const rows = actions.filter(({ source }) => source === BAR_FILES).map((row) => ({ ...row, at: openOf(row.at) }));
  const without = none.flatMap((date) => calendar.sessions(Date.parse(date), Date.parse(date) + DAY).slice(0, 1));
  const stated = new Map<Millis, readonly CorporateAction[]>(without.map(({ open }) => [open, []]));
  for (const [at, ofDate] of groupedBy(rows, ({ at }) => at)) stated.set(at, ofDate);
  return new Map([...stated].toSorted(([a], [b]) => a - b));
}

/** What the factors of every bar before an instant are multiplied by. */
interface Correction extends Factors {
  readonly at: Millis;
}

/** @param bars of which those that end at the same time have the same factors, the daily ones last */
function correctionsOf(
  calendar: Calendar,
  stated: ReadonlyMap<Millis, readonly CorporateAction[]>,
  bars: readonly Bar[],
): readonly Correction[] {
  const ordered = bars.toSorted((a, b) => a.end - b.end);
  const steps = stepsOf(calendar, ordered).filter(({ at }) => !stated.has(at));
  const replaced = new Set<Bar>();
  const corrections: Correction[] = [];
  for (const [at, rows] of stated) {
    const before = ordered.findLast(({ end }) => end <= at);
    const after = ordered.find(({ start }) => start >= at);
    if (!before || !after) continue;
    const { start, close } = before;
    const wanted = factorsOf([{ start, close, adj_close: null }], rows)(start);
    // What the source says between two bars is replaced once, though two dates may lie between them.
    const said = replaced.has(before)
      ? UNCHANGED
      : { split: before.split / after.split, total: before.total / after.total };
    replaced.add(before);
    const correction = { at, split: wanted.split / said.split, total: wanted.total / said.total };
    if ([correction.split, correction.total].every(isOne)) continue;
    corrections.push(correction);
    const same = steps.find((step) => isNear(calendar, step.at, at) && isSame(step, wanted));
    if (same) corrections.push({ at: same.at, split: 1 / same.split, total: 1 / same.total });
  }
  return corrections;
}

/** The nights over which the factors of the source change, and by how much. */
function stepsOf(calendar: Calendar, ordered: readonly Bar[]): readonly Correction[] {
  return ordered.slice(1).flatMap((after, index) => {
    const before = ordered[index] ?? after;
    const step = { split: before.split / after.split, total: before.total / after.total };
    if ([step.split, step.total].every(isOne)) return [];
    return [{ at: calendar.currentOrNext(after.start).open, ...step }];
  });
}

function isNear(calendar: Calendar, one: Millis, other: Millis): boolean {
  return calendar.sessions(Math.min(one, other), Math.max(one, other)).length <= GRADING.sameAction.sessions;
}

/** Whether two steps are one action under two dates: of the same kind, and of nearly the same size. */
function isSame(step: Factors, wanted: Factors): boolean {
  const close = (a: number, b: number) =>
    isOne(a) === isOne(b) && Math.abs(Math.log(a / b)) <= GRADING.sameAction.apart * Math.abs(Math.log(b)) + 1e-9;
  return close(step.split, wanted.split) && close(step.total / step.split, wanted.total / wanted.split);
}

const UNCHANGED: Factors = { split: 1, total: 1 };

/** A source and an operator who say the same differ in the last digits only. */
function isOne(factor: number): boolean {
  return Math.abs(factor - 1) < 1e-9;
}

function withFactors(bar: Bar, corrections: readonly Correction[]): Bar {
  let { split, total } = bar;
  for (const correction of corrections) {
    if (bar.start >= correction.at) continue;
    split *= correction.split;
    total *= correction.total;
  }
  return split === bar.split && total === bar.total ? bar : { ...bar, split, total };
}
