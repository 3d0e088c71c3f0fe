import type { WorkflowEdge, WorkflowNode } from './workflow.ts';

export const READINESS_CODES = [
  'NAME_MISSING',
  'DESCRIPTION_MISSING',
  'TEXT_HIDDEN',
  'TOO_FEW_NODES',
  'NODE_REPEATED',
  'NODE_UNKNOWN',
  'CONFIG_INVALID',
  'EDGE_REPEATED',
  'EDGE_NODE_UNKNOWN',
  'EDGE_PORT_UNKNOWN',
  'TYPES_DIFFER',
  'INPUT_UNCONNECTED',
  'INPUT_CONNECTED_TWICE',
  'CYCLE',
  'SUBMIT_MISSING',
  'SUBMIT_REPEATED',
  'SUBMIT_UNREACHABLE',
  'NODE_UNUSED',
] as const;

/** One side of an edge. */
export interface EdgeEnd {
  readonly node: string;
  /** Empty where the text names none. */
  readonly port: string;
}

/** `bars.out` as node and port: the name of a node contains no dot. */
export function edgeEnd(text: string): EdgeEnd {
  const dot = text.indexOf('.');
  return dot < 0 ? { node: text, port: '' } : { node: text.slice(0, dot), port: text.slice(dot + 1) };
}

type Links = ReadonlyMap<string, readonly string[]>;

/**
 * The nodes that pass their output to each node, and those that take it, by name. Edges of unknown nodes are ignored.
 */
export interface Wiring {
  readonly next: Links;
  readonly previous: Links;
}

/** Repeated names count as one node, and all edges between two nodes as one link. */
export function wiringOf(nodes: readonly WorkflowNode[], edges: readonly WorkflowEdge[]): Wiring {
  const next = new Map(nodes.map(({ id }) => [id, new Set<string>()]));
  const previous = new Map(nodes.map(({ id }) => [id, new Set<string>()]));
  for (const { from, to } of edges) {
    const [source, target] = [edgeEnd(from).node, edgeEnd(to).node];
    if (!next.has(source) || !next.has(target)) continue;
    next.get(source)?.add(target);
    previous.get(target)?.add(source);
  }
  return { next: listed(next), previous: listed(previous) };
}

function listed(sets: ReadonlyMap<string, ReadonlySet<string>>): Links {
  return new Map([...sets].map(([name, links]) => [name, [...links]]));
}

/** The starts, and every node that links lead to from them. */
export function reached(starts: Iterable<string>, links: Links): ReadonlySet<string> {
  const found = new Set(starts);
  for (const name of found) for (const other of links.get(name) ?? []) found.add(other);
  return found;
}

/**
 * The nodes that depend on themselves through others, each group of connected ones together; none in a workflow that
 * can run.
 */
export function cycles({ next, previous }: Wiring): readonly (readonly string[])[] {
  const tangles: string[][] = [];
  const found = new Set<string>();
  for (const [name, following] of next) {
    if (found.has(name)) continue;
    const behind = reached(following, next);
    if (!behind.has(name)) continue;
    const before = reached([name], previous);
    const tangle = [...behind].filter((other) => before.has(other)).sort();
    for (const other of tangle) found.add(other);
    tangles.push(tangle);
  }
  return tangles;
}

/**
 * The nodes in an order in which each comes after all that it reads from; among those that could come next, the one
 * whose name is first in the order of UTF-16 code units. So the same workflow has the same order, however it was
 * written down.
 * @throws RangeError for a cycle or for repeated names: readiness reports those
 */
export function inOrder(nodes: readonly WorkflowNode[], edges: readonly WorkflowEdge[]): readonly WorkflowNode[] {
  const { previous } = wiringOf(nodes, edges);
  const waiting = new Map(nodes.map((node) => [node.id, node]));
  if (waiting.size < nodes.length) throw new RangeError('Two nodes of one name have no order');
  const ordered: WorkflowNode[] = [];
  while (waiting.size > 0) {
    const free = [...waiting.keys()].filter((name) => !previous.get(name)?.some((other) => waiting.has(other)));
    const [first] = free.sort();
    const node = first === undefined ? undefined : waiting.get(first);
    if (!node) throw new RangeError('Nodes that wait for each other have no order');
    ordered.push(node);
    waiting.delete(node.id);
  }
  return ordered;
}

type ReadinessCode = (typeof READINESS_CODES)[number];

/** One thing that prevents the publication of a draft. */
export interface ReadinessFailure {
  readonly code: ReadinessCode;
  /** The node's own name in the draft; null for the draft as a whole. */
  readonly node: string | null;
  readonly port: string | null;
  /** What is wrong, and what fixes it. */
  readonly message: string;
}
