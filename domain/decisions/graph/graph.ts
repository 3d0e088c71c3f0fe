import { GRAPH } from '../../limits.ts';
import type { Relation } from '../submission/submission.ts';
import type { ComputedRelation, FoundLink } from './graph-reader.ts';

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly relation: Relation | ComputedRelation;
}

/** A breadth-first walk up to some level. */
export interface Walk {
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
