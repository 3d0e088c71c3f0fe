import { beginWalk, nextLevel, type WalkBounds } from '../../domain/decisions/graph/graph.ts';
import type { GraphDirection } from '../../domain/decisions/graph/graph-reader.ts';
import {
  type AnyNode,
  anyNode,
  type Graph,
  graphOf,
  type PublicNode,
  publicNode,
} from '../../domain/decisions/graph/graph-views.ts';
import type { ListedDecision } from '../../domain/decisions/own/owner-records.ts';
import type { Ports } from '../ports.ts';
import { type GapPorts, gapOf } from './price-gaps.ts';
import { noVisibleRecord } from './read-decision.ts';

export interface GraphQuery extends WalkBounds {
  readonly direction: GraphDirection;
}

type World = Pick<Ports, 'graph'>;

/**
 * The records around one, as far as the viewer sees them: one statement for each level, one for the records. The caller
 * caps the bounds (`cappedBounds`, interface.md 4.2).
 * @param viewer the owner who asks
 * @throws Problem NOT_FOUND, also for a record that the viewer does not see
 */
export function readGraph(
  ports: World & GapPorts,
  record_id: string,
  viewer: string,
  query: GraphQuery,
): Promise<Graph<AnyNode>> {
  return graphAround(ports, record_id, viewer, query, async (record) =>
    anyNode(record, viewer, record.owner_id === viewer ? await gapOf(ports, record) : null),
  );
}

/**
 * The public records around one (interface.md 4.5).
 * @throws Problem NOT_FOUND, also for a record that is not public
 */
export function readPublicGraph(ports: World, record_id: string, query: GraphQuery): Promise<Graph<PublicNode>> {
  return graphAround(ports, record_id, null, query, async (record) => publicNode(record));
}

async function graphAround<Node>(
  { graph }: World,
  record_id: string,
  viewer: string | null,
  { direction, ...bounds }: GraphQuery,
  nodeOf: (record: ListedDecision) => Promise<Node>,
): Promise<Graph<Node>> {
  let walk = beginWalk(record_id, bounds);
  while (walk.frontier.length > 0) {
    walk = nextLevel(walk, await graph.links(walk.frontier, { viewer, direction, most: walk.limit }));
  }
  const records = await graph.find(walk.nodes, viewer);
  const found = graphOf(
    walk,
    await Promise.all(records.map(async (record) => [record.record_id, await nodeOf(record)])),
  );
  if (!found) throw noVisibleRecord(record_id);
  return found;
}
