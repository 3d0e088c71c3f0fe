import { type CorporateAction, type Factors, factorsOf } from '../../market/adjustment.ts';
import type { Bar } from '../../market/bars.ts';
import type { Calendar } from '../../market/calendar.ts';
import { BAR_FILES, type BarSeries, type KnownActions } from '../../market/market-data.ts';
import { DAY, type Millis } from '../../time.ts';
import type { Evidence } from '../evaluation.ts';

/**
 * The evidence with the factors that an operator's file of actions gives its bars (evaluation-3.md section 1). It counts
 * beside every source: on a date of which it has rows, these replace what the source says of that date. Bar files have
 * the factors of their own rows already.
 */
export function withOperatorActions(calendar: Calendar, evidence: Evidence): Evidence {
  const { path, daily, earlier, later, known } = evidence;
  const stated = known && path.source !== BAR_FILES ? statedBy(calendar, known) : null;
  if (!stated || stated.size === 0) return evidence;
  const all = [path, ...(earlier ?? []), ...(later ? [later] : []), daily].flatMap(({ bars }) => bars);
  const corrections = correctionsOf(stated, all);
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
  for (const [at, ofDate] of Map.groupBy(rows, ({ at }) => at)) stated.set(at, ofDate);
  return new Map([...stated].toSorted(([a], [b]) => a - b));
}

/** What the factors of every bar before an instant are multiplied by. */
interface Correction extends Factors {
  readonly at: Millis;
}

/** @param bars of which those that end at the same time have the same factors, the daily ones last */
function correctionsOf(
  stated: ReadonlyMap<Millis, readonly CorporateAction[]>,
  bars: readonly Bar[],
): readonly Correction[] {
  const ordered = bars.toSorted((a, b) => a.end - b.end);
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
    if (![correction.split, correction.total].every(isOne)) corrections.push(correction);
  }
  return corrections;
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
