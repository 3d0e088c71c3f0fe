import { GRAPH } from '../../limits.ts';
import { type ListedDecision, type OwnSummary, ownSummary } from '../own/owner-records.ts';
import type { Relation } from '../submission/submission.ts';
import { type PublicHandle, publicHandle } from '../views/public-views.ts';
import { faultOf, faultyInRow } from '../views/record-fault.ts';
import { isPublic } from '../visibility.ts';

/**
 * `outbound`: the records that a record points to; `inbound`: those that point to it; `both`: these, and computed
 * links.
 */
export const GRAPH_DIRECTIONS = ['outbound', 'inbound', 'both'] as const;

/**
 * What public records have in common; each links to its nearest by data_cutoff (settled.md section 10). It has no
 * direction. Further horizons of decision groups have no such links, so that none shows which records are one group.
 */
export const COMPUTED_RELATIONS = ['same_cohort', 'same_workflow'] as const;

/** The kinds of links, in the order in which they are returned. */
export const LINK_KINDS = ['outbound', 'inbound', ...COMPUTED_RELATIONS] as const;

interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly relation: Relation | ComputedRelation;
}

/** A breadth-first walk up to some level. */
interface Walk {
  /** Record ids in the order in which they were found, the root first. */
  readonly nodes: readonly string[];
  /** The records whose links are followed next; empty at the end. */
  readonly frontier: readonly string[];
  /** Between nodes. */
  readonly edges: readonly GraphEdge[];
  /** Whether the limit kept out a record within the depth. */
  readonly truncated: boolean;
  readonly limit: number;
  readonly levels: number;
}

export interface WalkBounds {
  /** The greatest number of links between the root and a node. */
  readonly depth: number;
  /** The greatest number of nodes; the root counts and is always included. */
  readonly limit: number;
}

/** The greatest bounds of a graph, for callers with a credential and for public readers (settled.md section 10). */
export const GRAPH_CAPS = {
  agent: { depth: GRAPH.depth, limit: GRAPH.limit },
  public: { depth: GRAPH.publicDepth, limit: GRAPH.publicLimit },
} as const;

/** Bounds above the caps mean the caps (settled.md section 10). */
export function cappedBounds({ depth, limit }: WalkBounds, caps: WalkBounds): WalkBounds {
  return { depth: Math.min(depth, caps.depth), limit: Math.min(limit, caps.limit) };
}

/** With depth 0 or a limit below 2 the walk is the root alone. */
export function beginWalk(root: string, { depth, limit }: WalkBounds): Walk {
  const frontier = depth > 0 ? [root] : [];
  return { nodes: [root], frontier, edges: [], truncated: false, limit: Math.max(limit, 1), levels: depth };
}

/**
 * Follows the links of the frontier, in order, to the nodes of the next level. When the limit keeps a record out, the
 * walk ends with this level.
 */
export function nextLevel(walk: Walk, links: readonly FoundLink[]): Walk {
  const met = new Set(walk.nodes);
  const before = met.size;
  let truncated = false;
  for (const { other } of links) {
    if (met.has(other)) continue;
    if (met.size < walk.limit) met.add(other);
    else truncated = true;
  }
  const nodes = [...met];
  const levels = walk.levels - 1;
  const edges = links.filter(({ other }) => met.has(other)).flatMap(edgesOf);
  return {
    ...walk,
    nodes,
    edges: withoutRepeats([...walk.edges, ...edges]),
    frontier: truncated || levels === 0 ? [] : nodes.slice(before),
    truncated,
    levels,
  };
}

/** A computed link has no direction: it is listed once, from the smaller id. */
function edgesOf({ found_at, other, kind, relations }: FoundLink): GraphEdge[] {
  if (kind === 'outbound') return relations.map((relation) => ({ from: found_at, to: other, relation }));
  if (kind === 'inbound') return relations.map((relation) => ({ from: other, to: found_at, relation }));
  const [from, to] = found_at < other ? [found_at, other] : [other, found_at];
  return [{ from, to, relation: kind }];
}

function withoutRepeats(edges: readonly GraphEdge[]): GraphEdge[] {
  return [...new Map(edges.map((edge) => [`${edge.from} ${edge.to} ${edge.relation}`, edge])).values()];
}

/** A record in a graph of others: a public handle. */
export type PublicNode = { readonly view: 'public' } & Omit<PublicHandle, 'cohort_current_regime'>;

/** A record in the graph of a caller: the owner's short form for its owner, a public handle for everyone else. */
export type AnyNode = PublicNode | ({ readonly view: 'owner' } & OwnSummary);

/** Related records (settled.md section 10). */
export interface Graph<Node> {
  /** The requested record id: that of the first node. */
  readonly root: string;
  readonly nodes: readonly Node[];
  readonly edges: readonly GraphEdge[];
  readonly truncated: boolean;
}

/**
 * The graph of a finished walk and the nodes of it that are still seen, by record id; null when the root is not. Records that have
 * ceased to be public meanwhile are left out with their edges.
 */
export function graphOf<Node>(walk: Walk, nodes: readonly (readonly [string, Node])[]): Graph<Node> | null {
  const [root = ''] = walk.nodes;
  const seen = new Map(nodes);
  if (!seen.has(root)) return null;
  return {
    root,
    nodes: walk.nodes.flatMap((record_id) => seen.get(record_id) ?? []),
    edges: walk.edges.filter(({ from, to }) => seen.has(from) && seen.has(to)),
    truncated: walk.truncated,
  };
}

/**
 * @param gap why no configured source can grade the viewer's own record; null where one can
 * @throws TypeError for a record that is neither the viewer's nor public-visible
 */
export function anyNode(record: ListedDecision, viewer: string, gap: string | null): AnyNode {
  return record.owner_id === viewer ? { view: 'owner', ...ownSummary(record, gap) } : publicNode(record);
}

/** @throws TypeError for a record that is not public-visible */
export function publicNode(record: ListedDecision): PublicNode {
  const { evaluated_at, result_bucket, created_regime } = record;
  if (!isPublic(record) || !evaluated_at || !result_bucket) {
    throw new TypeError(`${record.record_id} is not public.`);
  }
  const faulty = faultyInRow(record);
  const label = faulty.includes('created_regime') ? null : (created_regime?.label ?? null);
  const row = { ...record, evaluated_at, result_bucket, created_regime: label };
  return { view: 'public', ...publicHandle(row), ...faultOf(faulty) };
}

export type GraphDirection = (typeof GRAPH_DIRECTIONS)[number];

export type ComputedRelation = (typeof COMPUTED_RELATIONS)[number];

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
