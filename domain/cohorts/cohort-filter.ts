import type { AnalysisClass, Direction, HorizonKind, PerspectiveType } from '../decisions/call.ts';
import { minuteOf } from '../decisions/views/public-views.ts';
import type { Grid } from '../grading/grid.ts';
import type { MethodName } from '../grading/method-facts.ts';
import type { ResultBucket } from '../grading/outcome.ts';
import type { AssetClass, Market } from '../market/venues.ts';
import { rfc3339 } from '../time.ts';

const IMPLIED = ['market', 'symbol', 'asset_class', 'direction', 'analysis_class'] as const;

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
 * Whether the further horizons of decision groups are in the cohort (securities.md 5): only where kind and value are both
 * pinned, so that no cohort has two decisions of one group, whose horizons differ.
 */
export function countsFurther({ horizon_kind, horizon_value }: CohortFilter): boolean {
  return horizon_kind !== undefined && horizon_value !== undefined;
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

/**
 * The filter without the members that its cohort key implies (settled.md section 3); null where the two contradict each
 * other, so that no record can match both. A key implies no venue, no quote currency and no horizon.
 */
export function withoutImplied(filter: CohortFilter): CohortFilter | null {
  if (filter.cohort_key === undefined) return filter;
  const implied = impliedBy(filter.cohort_key);
  const agrees = IMPLIED.every((field) => filter[field] === undefined || filter[field] === implied[field]);
  const { symbol: _, asset_class: __, direction: ___, analysis_class: ____, ...rest } = filter;
  return agrees ? rest : null;
}

/** The symbol in a cohort key. */
export function symbolOf(cohort_key: string): string {
  return impliedBy(cohort_key).symbol;
}

function impliedBy(cohort_key: string) {
  const [market, base = '', asset_class, , direction, , analysis_class] = cohort_key.split(':');
  return { market, symbol: base.toUpperCase(), asset_class, direction, analysis_class };
}

/**
 * What a cohort query asks, whichever page it wants and as of which time: its filters as they were understood, with times
 * as text. Two queries with the same filters are one question. Its RFC 8785 form is the canonical query.
 */
export interface Question extends Omit<CohortFilter, 'as_of' | 'data_cutoff_since' | 'data_cutoff_until'> {
  readonly data_cutoff_since?: string;
  readonly data_cutoff_until?: string;
}

export function questionOf(filter: CohortFilter): Question {
  const { as_of: _, data_cutoff_since: since, data_cutoff_until: until, ...others } = filter;
  return {
    ...others,
    ...(since && { data_cutoff_since: rfc3339(since) }),
    ...(until && { data_cutoff_until: rfc3339(until) }),
  };
}
