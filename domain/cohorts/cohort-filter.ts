import type { AnalysisClass, Direction, HorizonKind, PerspectiveType } from '../decisions/call.ts';
import { minuteOf } from '../decisions/views/public-times.ts';
import type { Grid } from '../grading/grid.ts';
import type { MethodName } from '../grading/method-facts.ts';
import type { ResultBucket } from '../grading/outcome.ts';
import type { AssetClass, Market } from '../market/venues.ts';

/**
 * The public, evaluated records that a cohort consists of (interface.md 4.2, settled.md section 6); values are
 * normalised.
 */
export interface CohortFilter {
  readonly market: Market;
  readonly symbol?: string;
  readonly venue?: string;
  readonly asset_class?: AssetClass;
  readonly quote_currency?: string;
  readonly cohort_key?: string;
  readonly direction?: Direction;
  readonly analysis_class?: AnalysisClass;
  readonly perspective_type?: PerspectiveType;
  readonly horizon_kind?: HorizonKind;
  readonly horizon_value?: number;
  readonly result_bucket?: ResultBucket;
  readonly method?: MethodName;
  /** Records by `eval/1` have none and match neither. */
  readonly grid?: Grid;
  /** At or after it. */
  readonly data_cutoff_since?: Date;
  /** Before it. */
  readonly data_cutoff_until?: Date;
  /** Outcomes whose `evaluated_at`, as others see it, is at or before this time: see `evaluatedUntil`. */
  readonly as_of?: Date;
  /** Retroactive records and those with a carried open are left out unless this is true. */
  readonly include_retroactive: boolean;
}

/**
 * The last exact time of an evaluation that `as_of` includes. Others see `evaluated_at` rounded up to the minute, and
 * `as_of` compares with that, so that no series of queries shows more.
 */
export function evaluatedUntil({ as_of }: CohortFilter): Date | undefined {
  return as_of && minuteOf(as_of);
}

export function withoutAsOf({ as_of: _, ...filter }: CohortFilter): CohortFilter {
  return filter;
}

/**
 * Filters that may be combined with `as_of` in a cohort of any size: one of these sets, with the market, the
 * perspective, the result, the method and the grid. Counts are stored by them and by the time of evaluation.
 */
export const AS_OF_FILTERS = [
  ['direction', 'analysis_class'],
  ['venue', 'asset_class', 'quote_currency'],
  ['symbol'],
  ['horizon_kind', 'horizon_value'],
] as const satisfies readonly (readonly (keyof CohortFilter)[])[];

const WITH_ANY = ['market', 'perspective_type', 'result_bucket', 'method', 'grid', 'as_of', 'include_retroactive'];

/** Whether the records of a filter have to be read to count it as of a time. */
export function readsRecordsAsOf(filter: CohortFilter): boolean {
  const others = Object.keys(filter).filter((name) => !WITH_ANY.includes(name));
  return (
    filter.as_of !== undefined && !AS_OF_FILTERS.some((set) => others.every((name) => set.some((one) => one === name)))
  );
}

/**
 * The same cohort without the bounds that select a part of it, which are `result_bucket`, `method`, `grid` and times:
 * suppression judges it as well as the result.
 */
export function wholeCohort(filter: CohortFilter): CohortFilter {
  const {
    result_bucket: _bucket,
    method: _method,
    grid: _grid,
    data_cutoff_since: _since,
    data_cutoff_until: _until,
    as_of: _asOf,
    ...whole
  } = filter;
  return whole;
}
