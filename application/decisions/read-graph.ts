import { beginWalk, nextLevel, type WalkBounds } from '../../domain/decisions/graph.ts';
import type { GraphDirection } from '../../domain/decisions/graph-reader.ts';
import { type Graph, graphOf } from '../../domain/decisions/graph-views.ts';
import type { Ports } from '../ports.ts';
import { noVisibleRecord } from './read-decision.ts';

export interface GraphQuery extends WalkBounds {
  readonly direction: GraphDirection;
}

/**
 * The records around one, as far as the viewer sees them: one statement for each level, one for the records. The bounds
 * are taken as they are; what the contract caps them at is for the caller to know (interface.md 4.2 and 4.5).
 * @param viewer the owner who asks; null for nobody
 * @throws Problem NOT_FOUND, also for a record that the viewer does not see
 */
export async function readGraph(
  { graph }: Pick<Ports, 'graph'>,
  record_id: string,
  viewer: string | null,
  { direction, ...bounds }: GraphQuery,
): Promise<Graph> {
  let walk = beginWalk(record_id, bounds);
  while (walk.frontier.length > 0) {
    walk = nextLevel(walk, await graph.links(walk.frontier, { viewer, direction, most: walk.limit }));
  }
  const found = graphOf(walk, await graph.find(walk.nodes, viewer), viewer);
  if (!found) throw noVisibleRecord(record_id);
  return found;
}
