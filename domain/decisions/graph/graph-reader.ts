import type { ListedDecision } from '../own/owner-records.ts';
import type { Relation } from '../submission/submission.ts';

/**
 * `outbound`: the records that a record points to; `inbound`: those that point to it; `both`: these, and computed
 * links.
 */
export const GRAPH_DIRECTIONS = ['outbound', 'inbound', 'both'] as const;
export type GraphDirection = (typeof GRAPH_DIRECTIONS)[number];

/**
 * What public records have in common; each links to its nearest by data_cutoff (settled.md section 10). It has no
 * direction.
 */
export const COMPUTED_RELATIONS = ['same_cohort', 'same_workflow'] as const;
export type ComputedRelation = (typeof COMPUTED_RELATIONS)[number];

/** The kinds of links, in the order in which they are returned. */
export const LINK_KINDS = ['outbound', 'inbound', ...COMPUTED_RELATIONS] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

/** A link as seen from the record that was requested. */
export interface FoundLink {
  readonly found_at: string;
  readonly kind: LinkKind;
  readonly other: string;
  /** The submitted relations, in the order of their names; empty for a computed link. */
  readonly relations: readonly Relation[];
}

export interface LinkQuery {
  /** The owner who asks; null for an anonymous reader. */
  readonly viewer: string | null;
  readonly direction: GraphDirection;
  /** At least 1. */
  readonly most: number;
}

/**
 * Records and their links as one viewer sees them: public records, and all of the viewer's own.
 *
 * A submitted link is seen where the detail of its source shows it to the same viewer: in the viewer's own records all
 * links; in those of others all but `supersedes`, and only where the related record is public and was public when it
 * was pointed to. Computed links are between public records; `same_workflow` only by a public snapshot, since records
 * of a private one have one producer.
 */
export interface GraphReader {
  /**
   * The seen links of the records, which the viewer has to see, to other seen records: by kind, then in the order of
   * `record_ids`. Submitted links by the data_cutoff and the id of the other end, newest first; of a record's inbound
   * ones the first `most` others. Computed links, only for `both`: the GRAPH.computedNeighbours nearest of each record,
   * by the distance of data_cutoff, then by how many places they are apart in the order of (data_cutoff, record_id),
   * the earlier first.
   */
  links(record_ids: readonly string[], wanted: LinkQuery): Promise<readonly FoundLink[]>;

  /** Those of the records that the viewer sees, in no order. */
  find(record_ids: readonly string[], viewer: string | null): Promise<readonly ListedDecision[]>;
}
