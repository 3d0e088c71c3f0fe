import type { ListedDecision } from './owner-records.ts';
import type { Relation } from './submission.ts';

/** `outbound`: what a record points to; `inbound`: what points to it; `both`: these, and what only goes with it. */
export const GRAPH_DIRECTIONS = ['outbound', 'inbound', 'both'] as const;
export type GraphDirection = (typeof GRAPH_DIRECTIONS)[number];

/** What public records have in common, of either the nearest by data_cutoff (settled.md section 10). It has no direction. */
export const COMPUTED_RELATIONS = ['same_cohort', 'same_workflow'] as const;
export type ComputedRelation = (typeof COMPUTED_RELATIONS)[number];

/** The kinds of links, in the order in which they are told. */
export const LINK_KINDS = ['outbound', 'inbound', ...COMPUTED_RELATIONS] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

/** A link as it looks from the record that was asked about. */
export interface FoundLink {
  readonly found_at: string;
  readonly kind: LinkKind;
  readonly other: string;
  /** As they were submitted, in the order of their names; empty for a computed link. */
  readonly relations: readonly Relation[];
}

export interface LinksWanted {
  /** The owner who asks; null for nobody. */
  readonly viewer: string | null;
  readonly direction: GraphDirection;
  /** At least 1. */
  readonly most: number;
}

/**
 * Records and their links as one viewer sees them: public records, and all of the viewer's own.
 *
 * A submitted link is seen where it stands in the detail of its source that the same viewer may read: in a record of the
 * viewer's own all of them, in those of others without `supersedes` and only where the related record is public and was
 * public when it was pointed to. Computed links are between public records; `same_workflow` only by a public snapshot,
 * since records of a private one have one producer.
 */
export interface GraphReader {
  /**
   * The seen links of the records, which have to be seen themselves, to others that are seen: by kind, then in the order
   * of `record_ids`. Submitted ones by the data_cutoff and the id of the other end, newest first; of the inbound ones of
   * a record the first `most` others. Computed ones, only for `both`, of each record the GRAPH.computedNeighbours
   * nearest: by the distance of data_cutoff, then by how many places they are apart in the order of (data_cutoff,
   * record_id), the earlier first.
   */
  links(record_ids: readonly string[], wanted: LinksWanted): Promise<readonly FoundLink[]>;

  /** Those of the records that the viewer sees, in no order. */
  find(record_ids: readonly string[], viewer: string | null): Promise<readonly ListedDecision[]>;
}
