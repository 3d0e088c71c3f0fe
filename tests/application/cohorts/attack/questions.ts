import { type CohortFilter, countsFurther as countsFurtherHorizons } from '../../../../domain/cohorts/cohort-filter.ts';
import { partThresholds, type Thresholds } from '../../../../domain/cohorts/suppression.ts';
import { type Decision, isFurtherHorizon } from '../../../../domain/decisions/decision.ts';
import { utcDate } from '../../../../domain/time.ts';
import { type Choice, choices, type Mask, maskOf, sizeOf } from './population.ts';

/** What a query selects, as sets of records: all that the suppressor can look at. */
export interface Question {
  readonly filter: CohortFilter;
  /** The cohort without result_bucket, method, grid and time bounds. */
  readonly whole: Mask;
  readonly result: Mask;
  /** The parts of a narrowed result whose producers may be judged. */
  readonly parts: readonly Mask[];
}

/**
 * Every question that filters of every kind, alone and together, can put to a population, each once. What the pages of
 * an answer hold are the public records of `result`: whose they are plays no part in it.
 * @param countsFurther whether a cohort counts the further horizons of decision groups
 */
export function questionsOf(
  records: readonly Decision[],
  thresholds: Thresholds,
  countsFurther: (filter: CohortFilter) => boolean = countsFurtherHorizons,
): readonly Question[] {
  const { direction, perspective, horizon, origin, bucket, method, grid, windows, asOf } = choices(records);
  const leads = maskOf(records, (record) => !isFurtherHorizon(record));
  const cohorts = combined([direction, perspective, horizon, origin]).map((each) => {
    const filter = { market: 'crypto', include_retroactive: true, ...each.filter } as const;
    return { ...each, mask: countsFurther(filter) ? each.mask : each.mask & leads };
  });
  const wholes = distinct(cohorts, ({ mask }) => mask);
  const untimed = distinct(combined([bucket, method, grid]), ({ mask }) => mask);
  const narrowings = distinct(combined([untimed, windows, asOf]), (each) => `${each.mask} ${each.firstMask}`);
  const periods = periodsOf(records);
  const all = wholes
    .filter(({ mask }) => sizeOf(mask) >= thresholds.minSamples)
    .flatMap((whole) =>
      narrowings.map((narrowing): Question => {
        const result = whole.mask & narrowing.mask;
        const filter = { market: 'crypto', include_retroactive: true, ...whole.filter, ...narrowing.filter } as const;
        const parts = partsOf(whole.mask, whole.mask & narrowing.firstMask, result, periods, thresholds);
        return { filter, whole: whole.mask, result, parts };
      }),
    );
  return distinct(
    all.filter(({ result }) => sizeOf(result) >= thresholds.minSamples),
    ({ whole, result, parts }) => `${whole} ${result} ${parts}`,
  );
}

/** The same as the suppressor does it by looking from all time down to days. */
function partsOf(whole: Mask, untimed: Mask, result: Mask, periods: readonly Mask[], thresholds: Thresholds): Mask[] {
  if (result === whole) return [];
  const { minSamples: enough } = partThresholds(thresholds);
  const parts = periods.map((period) => untimed & period);
  const judged = parts.filter((part) => {
    const leftOut = sizeOf(whole) - sizeOf(part);
    return (part & ~result) === 0 && sizeOf(part) >= enough && (leftOut === 0 || leftOut >= enough);
  });
  return [...new Set(judged)].toSorted((a, b) => a - b);
}

/** All time, and each month and day; the year is the same as all time here. */
function periodsOf(records: readonly Decision[]): readonly Mask[] {
  const starts = records.flatMap(({ data_cutoff }) => [utcDate(data_cutoff).slice(0, 7), utcDate(data_cutoff)]);
  return [-1, ...[...new Set(starts)].map((start) => maskOf(records, (r) => utcDate(r.data_cutoff).startsWith(start)))];
}

export interface Combined extends Choice {
  /** Of the first of the filters alone. */
  readonly firstMask: Mask;
}

/** Each value of each filter with each of the others. */
export function combined(filters: readonly (readonly Choice[])[]): readonly Combined[] {
  const [first = [], ...rest] = filters;
  const start: readonly Combined[] = first.map((choice) => ({ ...choice, firstMask: choice.mask }));
  return rest.reduce<readonly Combined[]>(
    (sofar, values) =>
      sofar.flatMap((a) => values.map((b) => ({ ...a, filter: { ...a.filter, ...b.filter }, mask: a.mask & b.mask }))),
    start,
  );
}

export function distinct<T>(values: readonly T[], key: (value: T) => unknown): readonly T[] {
  return [...new Map(values.map((value) => [key(value), value])).values()];
}
