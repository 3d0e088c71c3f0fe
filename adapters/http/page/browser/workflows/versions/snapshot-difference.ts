import { isSameJson } from '../same-json.ts';
import type { Draft, WorkflowEdge, WorkflowNode } from '../wire-workflows.ts';

/** What is compared: a snapshot has no visibility. */
export type Compared = Omit<Draft, 'visibility'> & Partial<Pick<Draft, 'visibility'>>;

/** One member before and after; undefined where it is absent. */
export interface MemberChange {
  readonly member: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** A step that both contain, with what differs: the template as `node_id`, the members of its config by their names. */
export interface StepChange {
  readonly id: string;
  readonly changes: readonly MemberChange[];
}

/** What differs between two contents of a workflow; the order of steps and connections does not count. */
export interface Difference {
  readonly texts: readonly MemberChange[];
  readonly added: readonly WorkflowNode[];
  readonly removed: readonly WorkflowNode[];
  readonly changed: readonly StepChange[];
  readonly connected: readonly WorkflowEdge[];
  readonly disconnected: readonly WorkflowEdge[];
}

const TEXTS = ['name', 'description', 'tags', 'visibility'] as const;

/** Visibility is compared only if both have one. */
export function differenceOf(before: Compared, after: Compared): Difference {
  const texts = TEXTS.map((member) => ({ member, before: before[member], after: after[member] }));
  const isCompared = ({ member }: MemberChange) =>
    member !== 'visibility' || (before.visibility !== undefined && after.visibility !== undefined);
  const [left, right] = [byName(before.nodes), byName(after.nodes)];
  return {
    texts: texts.filter((text) => isCompared(text) && differs(text)),
    added: [...right].flatMap(([name, node]) => (left.has(name) ? [] : [node])),
    removed: [...left].flatMap(([name, node]) => (right.has(name) ? [] : [node])),
    changed: [...left].flatMap(([name, node]) => stepChange(node, right.get(name))),
    connected: surplus(after.edges, before.edges),
    disconnected: surplus(before.edges, after.edges),
  };
}

export function isEmpty(difference: Difference): boolean {
  return Object.values(difference).every((part) => part.length === 0);
}

function differs({ before, after }: MemberChange): boolean {
  return !isSameJson(before, after);
}

/** A second step with an id gets another name, so that each of them is compared. */
function byName(nodes: readonly WorkflowNode[]): ReadonlyMap<string, WorkflowNode> {
  const named = new Map<string, WorkflowNode>();
  for (const node of nodes) {
    let name = node.id;
    while (named.has(name)) name += ' again';
    named.set(name, node);
  }
  return named;
}

function stepChange(before: WorkflowNode, after: WorkflowNode | undefined): readonly StepChange[] {
  if (!after) return [];
  const members = new Set([...Object.keys(before.config), ...Object.keys(after.config)]);
  const changes = [
    { member: 'node_id', before: before.node_id, after: after.node_id },
    ...[...members].map((member) => ({ member, before: before.config[member], after: after.config[member] })),
  ].filter(differs);
  return changes.length === 0 ? [] : [{ id: before.id, changes }];
}

/** The connections of the first list that the second one lacks; of repeated ones, those beyond its number. */
function surplus(edges: readonly WorkflowEdge[], others: readonly WorkflowEdge[]): readonly WorkflowEdge[] {
  const left = new Map<string, number>();
  for (const other of others) left.set(keyOf(other), (left.get(keyOf(other)) ?? 0) + 1);
  return edges.filter((edge) => {
    const count = left.get(keyOf(edge)) ?? 0;
    left.set(keyOf(edge), count - 1);
    return count <= 0;
  });
}

function keyOf({ from, to }: WorkflowEdge): string {
  return JSON.stringify([from, to]);
}
