import type { PerspectiveType } from '../decisions/call.ts';
import type { PublicRow } from '../decisions/public-handle.ts';
import type { ResultBucket } from '../grading/outcome.ts';
import type { CohortFilter } from './cohort-filter.ts';

/** Facts of the public, evaluated records that a filter selects. Nothing of it tells who made them. */
export interface CohortCounts {
  readonly samples: number;
  /** Of them retroactive; 0 unless the filter includes such. */
  readonly retroactive: number;
  readonly buckets: Readonly<Record<ResultBucket, number>>;
  /** Of data_cutoff; null without samples. */
  readonly earliest: Date | null;
  readonly latest: Date | null;
  /** Largest first; null for records that named no perspective. */
  readonly perspectives: readonly { readonly perspective_type: PerspectiveType | null; readonly total: number }[];
  /** Whether at least the asked number of distinct owners made them. How many more is never told. */
  readonly enoughProducers: boolean;
}

export interface CohortSummary {
  readonly result: CohortCounts;
  /** Of the same cohort without result_bucket and time bounds (`wholeCohort`). */
  readonly whole: Pick<CohortCounts, 'samples' | 'enoughProducers'>;
  /**
   * Names the set of records that were public at this moment, for `page`: what enters a cohort later is not in it,
   * whatever its data_cutoff and however long its transaction was open. Opaque, at most some KB.
   */
  readonly moment: string;
}

export const COHORT_SORTS = ['data_cutoff_desc', 'data_cutoff_asc'] as const;
export type CohortSort = (typeof COHORT_SORTS)[number];

/** The place of a row in either order. */
export interface CohortPlace {
  readonly data_cutoff: Date;
  readonly record_id: string;
}

export interface CohortPageRequest {
  readonly sort: CohortSort;
  /** At least 1. */
  readonly limit: number;
  /** Rows behind this one in the order asked for; from the first when null. */
  readonly after: CohortPlace | null;
  /** As a summary told it: of the first page. */
  readonly moment: string;
}

export interface CohortReader {
  /**
   * Counts at this moment, exact: a record that was graded, quarantined or released is counted so by every call that
   * starts after that was acknowledged. All of one summary is of one moment. `producers` is what counts as enough, 1 to
   * COHORT.mostMinProducers.
   */
  summarise(filter: CohortFilter, producers: number): Promise<CohortSummary>;

  /**
   * Up to `limit` rows in the order of (data_cutoff, record_id). Pages of one moment, each asked for after the last row
   * of the one before, hold every record of that moment once, but those that left the public since.
   */
  page(filter: CohortFilter, request: CohortPageRequest): Promise<readonly PublicRow[]>;
}
