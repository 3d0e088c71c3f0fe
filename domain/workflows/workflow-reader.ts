import type { CohortCounts, OwnerProof } from '../cohorts/cohort-reader.ts';
import { type CohortRules, reasonToWithhold, type Thresholds } from '../cohorts/suppression.ts';
import { RESULT_BUCKETS, type ResultBucket } from '../grading/outcome.ts';
import type { NumberedPage, PageOf } from '../page.ts';
import { MINUTE } from '../time.ts';

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

/** What an owner sees of the use of a workflow (settled.md section 11). */
export interface Usage {
  readonly decisions: {
    readonly total: number;
    readonly evaluated: number;
    /** null while the part that is from others is withheld. */
    readonly result_distribution: RecordsOfWorkflow['buckets'] | null;
  };
  readonly forks: number;
  readonly snapshots: number;
  /** To the minute, as views of others' records show it. */
  readonly last_used_at: Date | null;
}

/**
 * Own records count in any state, those of others once they are public. The outcomes of others' records are shown like
 * those of a cohort: from a minimum of records by a minimum of producers on. Owners know their own records, so only
 * those of others count towards these.
 */
export function usageOf({ own, others, forks, snapshots }: UsageCounts, thresholds: Thresholds): Usage {
  const cohort = { samples: others.evaluated, enoughProducers: others.enoughProducers };
  const isWithheld = others.evaluated > 0 && reasonToWithhold({ result: cohort, whole: cohort }, thresholds) !== null;
  const together = RESULT_BUCKETS.map((bucket) => [bucket, own.buckets[bucket] + others.buckets[bucket]]);
  return {
    decisions: {
      total: own.total + others.total,
      evaluated: own.evaluated + others.evaluated,
      result_distribution: isWithheld ? null : (Object.fromEntries(together) as Record<ResultBucket, number>),
    },
    forks,
    snapshots,
    last_used_at: minuteOf(Math.max(...[own, others].map(({ last_used_at }) => last_used_at?.getTime() ?? 0))),
  };
}

function minuteOf(at: number): Date | null {
  return at === 0 ? null : new Date(Math.floor(at / MINUTE) * MINUTE);
}
