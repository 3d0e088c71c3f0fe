import type { Draft, NodeTemplate, WorkflowEdge, WorkflowNode } from '../wire-workflows.ts';

/** States that one can go back to; older ones are forgotten. */
const MOST = 200;

// Steps are named by their place in the draft: two of an imported draft may share an id, until the owner mends it.

/** The draft with one more step, named after its template, and the place of the step. */
export function withStep(draft: Draft, { node_id }: Pick<NodeTemplate, 'node_id'>): { draft: Draft; at: number } {
  const node: WorkflowNode = { id: freeName(draft, node_id), node_id, config: {} };
  return { draft: { ...draft, nodes: [...draft.nodes, node] }, at: draft.nodes.length };
}

/** `data.bars` becomes `bars`, the next one `bars-2`. */
function freeName({ nodes }: Draft, node_id: string): string {
  const name = node_id.slice(node_id.indexOf('.') + 1);
  const used = new Set(nodes.map(({ id }) => id));
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    if (!used.has(candidate)) return candidate;
  }
}

/** The draft without a step and, unless another step has its id, without its connections. */
export function withoutStep(draft: Draft, at: number): Draft {
  const removed = draft.nodes[at]?.id;
  const nodes = draft.nodes.filter((_, index) => index !== at);
  const isGone = !nodes.some(({ id }) => id === removed);
  const edges = isGone ? draft.edges.filter((edge) => !touches(edge, removed)) : draft.edges;
  return { ...draft, nodes, edges };
}

function touches({ from, to }: WorkflowEdge, id: string | undefined): boolean {
  return stepOf(from) === id || stepOf(to) === id;
}

/** Renames a step; its connections follow, unless another step has the old id. */
export function withName(draft: Draft, at: number, name: string): Draft {
  const old = draft.nodes[at]?.id;
  const nodes = draft.nodes.map((node, index) => (index === at ? { ...node, id: name } : node));
  if (old === undefined || nodes.some(({ id }) => id === old)) return { ...draft, nodes };
  const moved = (end: string) => (stepOf(end) === old ? `${name}.${portOf(end)}` : end);
  return { ...draft, nodes, edges: draft.edges.map(({ from, to }) => ({ from: moved(from), to: moved(to) })) };
}

export function withConfig(draft: Draft, at: number, config: WorkflowNode['config']): Draft {
  return { ...draft, nodes: draft.nodes.map((node, index) => (index === at ? { ...node, config } : node)) };
}

/** `from` and `to` name a step and its port: `prices.bars`. */
export function withEdge(draft: Draft, from: string, to: string): Draft {
  return { ...draft, edges: [...draft.edges, { from, to }] };
}

export function withoutEdge(draft: Draft, at: number): Draft {
  return { ...draft, edges: draft.edges.filter((_, index) => index !== at) };
}

/** Why a step cannot have the name here, where connections are found by it; null: it can. The service judges the rest. */
export function nameFault({ nodes }: Draft, at: number, name: string): string | null {
  if (name === '') return 'A step needs a name: connections are written with it.';
  if (name.includes('.')) return 'A name has no dot: a dot ends it where connections are written.';
  const isTaken = nodes.some(({ id }, index) => id === name && index !== at);
  return isTaken ? 'Another step has this name, so their connections could not be distinguished.' : null;
}

/** The step that the end of a connection names. */
export function stepOf(end: string): string {
  const dot = end.indexOf('.');
  return dot < 0 ? end : end.slice(0, dot);
}

/** The port that the end of a connection names; empty if it names none. */
export function portOf(end: string): string {
  const dot = end.indexOf('.');
  return dot < 0 ? '' : end.slice(dot + 1);
}

/** The states that a value had, with the way back and forth. */
export interface EditHistory<State> {
  readonly past: readonly State[];
  readonly now: State;
  readonly future: readonly State[];
}

export function begun<State>(now: State): EditHistory<State> {
  return { past: [], now, future: [] };
}

export function edited<State>({ past, now }: EditHistory<State>, next: State): EditHistory<State> {
  return { past: [...past, now].slice(-MOST), now: next, future: [] };
}

/** One state back; the same history if there is none. */
export function undone<State>(history: EditHistory<State>): EditHistory<State> {
  const before = history.past.at(-1);
  if (history.past.length === 0) return history;
  return { past: history.past.slice(0, -1), now: before as State, future: [history.now, ...history.future] };
}

/** One state forth again; the same history if there is none. */
export function redone<State>(history: EditHistory<State>): EditHistory<State> {
  const [next, ...future] = history.future;
  if (history.future.length === 0) return history;
  return { past: [...history.past, history.now], now: next as State, future };
}
