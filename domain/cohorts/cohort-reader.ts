import { PERSPECTIVE_TYPES, type PerspectiveType } from '../decisions/call.ts';
import type { WindowCounts } from '../decisions/own/window-counts.ts';
import type { PublicRow } from '../decisions/views/public-views.ts';
import { type HadSaidCounts, hadSaidCounts, type MoveCounts } from '../grading/bucket.ts';
import { RESULT_BUCKETS, type ResultBucket } from '../grading/outcome.ts';
import type { CohortFilter } from './cohort-filter.ts';
import type { CountedAs } from './counted-as.ts';
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
  /**
   * For `windows` and `largestOwner`: two summaries of one filter with the same edition are of the same records. Absent
   * from a reader that holds no results.
   */
  readonly edition?: string;
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
   * COHORT.mostWindows records. With the edition of the summary of that moment, those may be counted all the same.
   */
  windows(filter: CohortFilter, moment: string, edition?: string): Promise<WindowCounts | null>;

  /**
   * Of the first `size` records of that moment in the order of (evaluated_at, record_id), except those that have ceased
   * to be public: how many the owner with the most has. All owners count. null when there are fewer records. An edition
   * is used as by `windows`.
   */
  largestOwner(filter: CohortFilter, moment: string, size: number, edition?: string): Promise<LargestOwner | null>;

  /**
   * The ungraded records of a whole cohort (`isUngradedOf`), and whether `producers` owners that count made them; of one
   * moment. Exact like a summary, and null where the market, or the symbol that the filter or its cohort key names, has
   * more than COHORT.mostUngraded ungraded records.
   */
  ungraded(filter: CohortFilter, producers: number, ownerProof?: OwnerProof): Promise<UngradedCohort | null>;
}

export type OwnerProof = (typeof OWNER_PROOFS)[number];

/** A stored count that differs from the records. */
export interface CellFault {
  /** Describes the count. */
  readonly cell: string;
  /** null where no count is stored. */
  readonly kept: string | null;
  readonly counted: string | null;
}

/**
 * Counts that are stored in advance, so that reading a cohort, the counts of an agent or the use of a workflow takes the
 * same time for many records as for few.
 */
export interface CohortCells {
  /**
   * Takes up to `limit` records, 1 to 100,000, that became public into the counts. Returns how many: fewer than `limit`
   * only when none are left. All or nothing; a `CohortReader` returns the same before, during and after it.
   */
  fold(limit: number): Promise<number>;

  /**
   * Takes up to `limit` changes of records, 1 to 100,000, into the counts of agents and workflows, likewise: their
   * readers return the same before, during and after it.
   */
  foldTracks(limit: number): Promise<number>;

  /**
   * Begins one of the counts by periods that a market needs once its longer periods have at least so many records.
   * Returns how many it began: 0 when none is missing. All or nothing; a `CohortReader` returns the same before, during
   * and after it.
   */
  extend(records: number): Promise<number>;

  /**
   * Counts up to `limit` records, 1 to 10,000, that an earlier release graded by what each direction would have got.
   * Returns how many: fewer than `limit` only when none are left that no other transaction holds. Until then the
   * `had_said` of the cohorts of such records is null.
   */
  countMoves(limit: number): Promise<number>;

  /**
   * The number of public records that are not in the counts yet, and when the first of them was graded; null without
   * any.
   */
  unfolded(): Promise<{ readonly records: number; readonly since: Date | null }>;

  /** The number of changes of records that are not in the counts of agents and workflows yet. */
  unfoldedChanges(): Promise<number>;

  /** Counts everything again and returns each difference; records may become public or cease to be meanwhile. */
  check(): Promise<readonly CellFault[]>;

  /** Builds all counts again; meanwhile readers use the old ones. */
  rebuild(): Promise<void>;
}

/** Records of a cohort that are equal in everything its counts distinguish. */
export interface AlikeRecords {
  readonly perspective_type: PerspectiveType | null;
  readonly result_bucket: ResultBucket;
  readonly submission_origin: CountedAs;
  readonly n: number;
  /** Of data_cutoff. */
  readonly earliest: Date;
  readonly latest: Date;
  readonly moves: MoveCounts;
}

/** Adds up the parts of a cohort; parts may be equal and may come in any order. */
export function addUp(parts: readonly AlikeRecords[], enoughProducers: boolean): CohortCounts {
  const total = (matches: (part: AlikeRecords) => boolean) =>
    parts.reduce((sum, part) => (matches(part) ? sum + part.n : sum), 0);
  const buckets = RESULT_BUCKETS.map((bucket) => [bucket, total(({ result_bucket }) => result_bucket === bucket)]);
  const samples = total(() => true);
  return {
    samples,
    retroactive: total(({ submission_origin }) => submission_origin === 'retroactive'),
    buckets: Object.fromEntries(buckets) as Record<ResultBucket, number>,
    had_said: hadSaidCounts(
      parts.map(({ moves }) => moves),
      samples,
    ),
    earliest: farthest(
      parts.map(({ earliest }) => earliest.getTime()),
      Math.min,
    ),
    latest: farthest(
      parts.map(({ latest }) => latest.getTime()),
      Math.max,
    ),
    perspectives: [...PERSPECTIVE_TYPES, null]
      .map((perspective_type) => ({
        perspective_type,
        total: total((part) => part.perspective_type === perspective_type),
      }))
      .filter((each) => each.total > 0)
      .toSorted((a, b) => b.total - a.total),
    enoughProducers,
  };
}

function farthest(times: readonly number[], pick: (a: number, b: number) => number): Date | null {
  return times.length === 0 ? null : new Date(times.reduce((a, b) => pick(a, b)));
}
