import type { PerspectiveType } from '../decisions/call.ts';
import type { WindowCounts } from '../decisions/own/window-counts.ts';
import type { PublicRow } from '../decisions/views/public-views.ts';
import type { HadSaidCounts } from '../grading/had-said.ts';
import type { ResultBucket } from '../grading/outcome.ts';
import type { CohortFilter } from './cohort-filter.ts';
import type { LargestOwner } from './owner-share.ts';
import type { UngradedCohort } from './ungraded-cohort.ts';

/**
 * Which owners count as producers: all of them, or those whom an identity provider verified or who confirmed the address of
 * their account. It is judged at the moment
 * of each query, and no reply shows whether an owner is verified.
 */
export const OWNER_PROOFS = ['none', 'verified'] as const;

/** Facts of the public, evaluated records that a filter selects. They do not reveal who made them. */
export interface CohortCounts {
  readonly samples: number;
  /** How many of the samples are retroactive, whatever their opens; 0 unless the filter includes such records. */
  readonly retroactive: number;
  readonly buckets: Readonly<Record<ResultBucket, number>>;
  /** Null unless all samples are counted in it, see `hadSaidCounts`. */
  readonly had_said: HadSaidCounts | null;
  /** Of data_cutoff; null without samples. */
  readonly earliest: Date | null;
  readonly latest: Date | null;
  /** Largest first; null for records that named no perspective. */
  readonly perspectives: readonly { readonly perspective_type: PerspectiveType | null; readonly total: number }[];
  /** Whether at least the requested number of distinct owners that count made them. The actual number is never returned. */
  readonly enoughProducers: boolean;
}

export interface CohortSummary {
  readonly result: CohortCounts;
  /**
   * The last `evaluated_at` of the result; null without samples, and where counts of an earlier release do not have it.
   */
  readonly lastGraded: Date | null;
  /** Of the same cohort without the bounds that select a part of it (`wholeCohort`). */
  readonly whole: Pick<CohortCounts, 'samples' | 'enoughProducers'>;
  /**
   * Identifies the set of records that were public at this moment, for `page`: it excludes what enters a cohort later,
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
  /** The rows that follow this one in the requested order; from the first when null. */
  readonly after: CohortPlace | null;
  /** The moment of the summary of the first page. */
  readonly moment: string;
}

export interface CohortReader {
  /**
   * Counts at this moment, exact: every call that starts after a record's grading, quarantine or release was
   * acknowledged counts it so. A summary is of one moment. `producers` is how many are enough, 1 to
   * COHORT.mostMinProducers; `ownerProof` is which owners count among them, at that moment, all by default.
   */
  summarise(filter: CohortFilter, producers: number, ownerProof?: OwnerProof): Promise<CohortSummary>;

  /**
   * Up to `limit` rows in the order of (data_cutoff, record_id). Pages of one moment, each requested after the last row
   * of the page before, contain every record of that moment once, except those that have ceased to be public, or count as
   * another security since.
   */
  page(filter: CohortFilter, request: CohortPageRequest): Promise<readonly PublicRow[]>;

  /**
   * `windowCounts` of the records of that moment, except those that have ceased to be public. null for more than
   * COHORT.mostWindows records.
   */
  windows(filter: CohortFilter, moment: string): Promise<WindowCounts | null>;

  /**
   * Of the first `size` records of that moment in the order of (evaluated_at, record_id), except those that have ceased
   * to be public: how many the owner with the most has. All owners count. null when there are fewer records.
   */
  largestOwner(filter: CohortFilter, moment: string, size: number): Promise<LargestOwner | null>;

  /**
   * The ungraded records of a whole cohort (`isUngradedOf`), and whether `producers` owners that count made them; of one
   * moment. Exact like a summary, and null where the market, or the symbol that the filter or its cohort key names, has
   * more than COHORT.mostUngraded ungraded records.
   */
  ungraded(filter: CohortFilter, producers: number, ownerProof?: OwnerProof): Promise<UngradedCohort | null>;
}

export type OwnerProof = (typeof OWNER_PROOFS)[number];
