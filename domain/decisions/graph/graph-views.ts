import { type OwnSummary, ownSummary } from '../own/own-summary.ts';
import type { ListedDecision } from '../own/owner-records.ts';
import { type PublicHandle, publicHandle } from '../views/public-handle.ts';
import { faultOf, faultyInRow } from '../views/record-fault.ts';
import { isPublic } from '../visibility.ts';
import type { GraphEdge, Walk } from './graph.ts';

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
