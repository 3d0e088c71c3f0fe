import { type Decision, isFurtherHorizon } from '../decisions/decision.ts';
import {
  type LeftOutCounts,
  SUSPECTED,
  type UngradedReason,
  ungradedReason,
  WRONG_SECURITY,
} from '../decisions/ungraded.ts';
import { isPublic } from '../decisions/visibility.ts';
import { exceptionOf } from '../grading/cohort-exception.ts';
import { type CohortFilter, countsFurther, symbolOf, wholeCohort } from './cohort-filter.ts';
import { EQUALITY_FILTERS } from './cohort-membership.ts';

/**
 * The ungraded records that a whole cohort would contain if they had an outcome, which only their owners may read, and
 * the suspected outcomes that it would contain if their prices were explained.
 */
export interface UngradedCohort {
  readonly counts: LeftOutCounts;
  /** Whether at least the requested number of distinct owners that count made them. The actual number is never returned. */
  readonly enoughProducers: boolean;
}

/**
 * Whether ungraded records are counted for the filter: only for a whole cohort. They have no bucket, when a record ended
 * is not stored, and two time ranges would reveal the `data_cutoff` of a single record.
 */
export function countsUngraded(filter: CohortFilter): boolean {
  return Object.keys(wholeCohort(filter)).length === Object.keys(filter).length;
}

/** The cohort whose ungraded records are read to count those of the filter: that of its symbol, or of its market. */
export function searchedForUngraded({ market, symbol, cohort_key }: CohortFilter): CohortFilter {
  const named = cohort_key === undefined ? symbol : symbolOf(cohort_key);
  return { market, ...(named !== undefined && { symbol: named }), include_retroactive: true };
}

/** The filters of a whole cohort, which no outcome is needed for. */
const CATEGORIES = EQUALITY_FILTERS.filter(
  (field): field is Exclude<typeof field, 'result_bucket' | 'method' | 'grid'> =>
    field !== 'result_bucket' && field !== 'method' && field !== 'grid',
);

type Judged = Pick<
  Decision,
  | (typeof CATEGORIES)[number]
  | 'lifecycle_state'
  | 'last_error'
  | 'submission_origin'
  | 'facts'
  | 'group_place'
  | 'wrong_security'
>;

/**
 * Why no cohort counts a record, `suspected` or `wrong_security` for a public outcome; null for one that cohorts count, or
 * nobody may see.
 */
export function leftOutReason(
  record: Pick<Judged, 'lifecycle_state' | 'last_error' | 'facts' | 'wrong_security'>,
): UngradedReason | null {
  const exception = isPublic(record) ? exceptionOf(record) : null;
  if (exception === 'wrong_security') return WRONG_SECURITY;
  return exception === 'suspected_split' ? SUSPECTED : ungradedReason(record);
}

/** Whether a record is ungraded or suspected and would belong to the whole cohort of the filter. */
export function isUngradedOf(filter: CohortFilter, record: Judged): boolean {
  return (countsFurther(filter) || !isFurtherHorizon(record)) && isSearchedFor(filter, record);
}

/** The same for `searchedForUngraded`, where any horizon may be asked for: further horizons of groups are read as well. */
export function isSearchedFor(filter: CohortFilter, record: Judged): boolean {
  return (
    leftOutReason(record) !== null &&
    (filter.include_retroactive || record.submission_origin === 'realtime') &&
    CATEGORIES.every((field) => filter[field] === undefined || filter[field] === record[field])
  );
}
