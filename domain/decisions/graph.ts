import type { ComputedRelation, FoundLink } from './graph-reader.ts';
import type { Relation } from './submission.ts';

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly relation: Relation | ComputedRelation;
}

/** A breadth-first walk, as far as it has come. */
export interface Walk {
  /** Record ids in the order in which they were met, the root first. */
  readonly nodes: readonly string[];
  /** Whose links are to be followed next; empty at the end. */
  readonly frontier: readonly string[];
  /** Between nodes. */
  readonly edges: readonly GraphEdge[];
  /** Whether there is a record within the depth that the limit kept out. */
  readonly truncated: boolean;
  readonly limit: number;
  readonly levels: number;
}

export interface WalkBounds {
  /** How many links the farthest node may be away. */
  readonly depth: number;
  /** Of nodes, the root included, which is there in any case. */
  readonly limit: number;
}

/** Without depth, or with a limit below 2, it is the root alone. */
export function beginWalk(root: string, { depth, limit }: WalkBounds): Walk {
  const frontier = depth > 0 ? [root] : [];
  return { nodes: [root], frontier, edges: [], truncated: false, limit: Math.max(limit, 1), levels: depth };
}

/**
 * Follows the links of the frontier, in their order, to the nodes of the next level. Where the limit keeps a record out,
 * the walk ends with this level.
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

/** A computed link has no direction: it is told once, from the smaller id. */
function edgesOf({ found_at, other, kind, relations }: FoundLink): GraphEdge[] {
  if (kind === 'outbound') return relations.map((relation) => ({ from: found_at, to: other, relation }));
  if (kind === 'inbound') return relations.map((relation) => ({ from: other, to: found_at, relation }));
  const [from, to] = found_at < other ? [found_at, other] : [other, found_at];
  return [{ from, to, relation: kind }];
}

function withoutRepeats(edges: readonly GraphEdge[]): GraphEdge[] {
  return [...new Map(edges.map((edge) => [`${edge.from} ${edge.to} ${edge.relation}`, edge])).values()];
}
