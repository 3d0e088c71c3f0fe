import type { CohortCounts } from '../cohorts/cohort-reader.ts';
import type { Thresholds } from '../cohorts/suppression.ts';
import type { ResultBucket } from '../grading/outcome.ts';
import type { NumberedPage, PageOf } from '../page.ts';

/** What became of some records that name snapshots of a workflow. */
export interface RecordsOfWorkflow {
  readonly total: number;
  readonly evaluated: number;
  readonly buckets: Readonly<Record<ResultBucket, number>>;
  /** When the last of them was submitted. */
  readonly last_used_at: Date | null;
}

/** How a workflow was used. Nothing of it tells by whom. */
export interface UsageCounts {
  /** Of the owner's own records, in whatever state. */
  readonly own: RecordsOfWorkflow;
  /** Of others' records that are public and name a snapshot that is public: no others are there for the owner. */
  readonly others: RecordsOfWorkflow & Pick<CohortCounts, 'enoughProducers'>;
  /** Workflows that are copies of it, the owner's own too. */
  readonly forks: number;
  /** Contents that it was published with. */
  readonly snapshots: number;
}

export const MARKETPLACE_SORTS = ['newest', 'most_used'] as const;
export type MarketplaceSort = (typeof MARKETPLACE_SORTS)[number];

export interface MarketplaceRequest extends NumberedPage {
  /** One of the tags, as it is written; null for all. */
  readonly tag: string | null;
  /** A part of the name, in any case; null for all. */
  readonly search: string | null;
  readonly sort: MarketplaceSort;
  /** What it takes for a `decision_count` to be told and sorted by. */
  readonly thresholds: Thresholds;
}

/** A public workflow as it was last published for everybody. Nothing here names or links its owner. */
export interface MarketplaceItem {
  /** Of the workflow, for whoever forks it. */
  readonly id: string;
  readonly hash: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly node_count: number;
  readonly published_at: Date;
  /**
   * Public records that name a snapshot which the workflow was published with for everybody; null while they, or those
   * who made them, are too few.
   */
  readonly decision_count: number | null;
}

/** Workflows as others see them, and what was made with them. */
export interface WorkflowReader {
  /**
   * Public workflows that were published for everybody, all of it of the publication: no draft is looked at but for its
   * visibility. `newest`: by that publication; `most_used`: by `decision_count`, then by that.
   */
  marketplace(request: MarketplaceRequest): Promise<PageOf<MarketplaceItem>>;

  /** @param producers how many distinct other owners are enough */
  usage(workflow: { readonly id: string; readonly owner_id: string }, producers: number): Promise<UsageCounts>;
}
