import type { CohortCounts } from '../cohorts/cohort-reader.ts';
import type { OwnerProof } from '../cohorts/owner-proof.ts';
import type { CohortRules } from '../cohorts/suppression.ts';
import type { ResultBucket } from '../grading/outcome.ts';
import type { NumberedPage, PageOf } from '../page.ts';

/** Counts of records that name snapshots of a workflow. */
export interface RecordsOfWorkflow {
  readonly total: number;
  readonly evaluated: number;
  readonly buckets: Readonly<Record<ResultBucket, number>>;
  /** When the last of them was submitted. */
  readonly last_used_at: Date | null;
}

/** How a workflow was used. It does not reveal by whom. */
export interface UsageCounts {
  /** The owner's own records, in any state. */
  readonly own: RecordsOfWorkflow;
  /** Public records of others that name a public snapshot: the owner sees no other ones. */
  readonly others: RecordsOfWorkflow & Pick<CohortCounts, 'enoughProducers'>;
  /** Workflows that are copies of it, the owner's own too. */
  readonly forks: number;
  /** Distinct contents that it was published with. */
  readonly snapshots: number;
}

export const MARKETPLACE_SORTS = ['newest', 'most_used'] as const;
export type MarketplaceSort = (typeof MARKETPLACE_SORTS)[number];

export interface MarketplaceRequest extends NumberedPage {
  /** One of the tags, exactly; null for all. */
  readonly tag: string | null;
  /** A part of the name, in any case; null for all. */
  readonly search: string | null;
  readonly sort: MarketplaceSort;
  /** The thresholds from which a `decision_count` is shown and sorted by. */
  readonly thresholds: CohortRules;
}

/** A public workflow as it was last published for everybody. Nothing here names or links its owner. */
export interface MarketplaceItem {
  /** The id of the workflow, to fork it. */
  readonly id: string;
  readonly hash: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly node_count: number;
  readonly published_at: Date;
  /**
   * Public records that name a snapshot which the workflow was published with for everybody; null while there are too
   * few of them or of their producers.
   */
  readonly decision_count: number | null;
}

/** Workflows as others see them, and the use of workflows. */
export interface WorkflowReader {
  /**
   * Public workflows that were published for everybody, with the data of that publication: of a draft only the
   * visibility is read. `newest`: by that publication; `most_used`: by `decision_count`, then by that publication.
   */
  marketplace(request: MarketplaceRequest): Promise<PageOf<MarketplaceItem>>;

  /** @param producers how many distinct other owners are enough @param ownerProof which of them count, all by default */
  usage(
    workflow: { readonly id: string; readonly owner_id: string },
    producers: number,
    ownerProof?: OwnerProof,
  ): Promise<UsageCounts>;
}
