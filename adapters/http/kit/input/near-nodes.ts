import { NODE_TEMPLATES } from '../../../../domain/workflows/node-catalogue.ts';
import { nearest } from './nearest.ts';

/**
 * The node_ids that a caller may have meant by an unknown one. If the group is missing or wrong, the name after it
 * decides.
 */
export function nearNodes(id: string): readonly string[] {
  const byWord = new Map(NODE_TEMPLATES.map(({ node_id }) => [wordOf(node_id), node_id]));
  const whole = nearest(
    id,
    NODE_TEMPLATES.map(({ node_id }) => node_id),
  );
  const part = byWord.get(nearest(wordOf(id), byWord.keys()) ?? '');
  return [...new Set([whole, part].filter((node_id) => node_id !== undefined))];
}

function wordOf(node_id: string): string {
  return node_id.slice(node_id.indexOf('.') + 1);
}
