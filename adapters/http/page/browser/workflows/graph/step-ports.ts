import { portOf, stepOf } from '../editor/draft-edits.ts';
import type { Draft, Library } from '../wire-workflows.ts';

/** A port of one step of a draft. */
export interface StepPort {
  /** The place of the step in the draft. */
  readonly at: number;
  readonly step: string;
  readonly port: string;
  readonly side: 'input' | 'output';
  /** null if a connection names it, but the step has no such port. */
  readonly type: string | null;
  readonly isRequired: boolean;
  /** Whether it takes several connections; every output does. */
  readonly isMultiple: boolean;
  /** The places of its connections in the draft. */
  readonly edges: readonly number[];
}

/** The ports of a step: those of its template, then those that only connections name. */
export function portsOf(draft: Draft, library: Library, at: number): readonly StepPort[] {
  const node = draft.nodes[at];
  if (!node) return [];
  const template = library.get(node.node_id);
  const isFirst = draft.nodes.findIndex(({ id }) => id === node.id) === at;
  const ends = isFirst ? endsOf(draft, node.id) : [];
  const known = [
    ...(template?.inputs ?? []).map(({ port, type, required, multiple }) => ({
      ...{ side: 'input' as const, port, type },
      ...{ isRequired: required, isMultiple: multiple },
    })),
    ...(template?.outputs ?? []).map(({ port, type }) => ({
      ...{ side: 'output' as const, port, type },
      ...{ isRequired: false, isMultiple: true },
    })),
  ];
  const isKnown = ({ side, port }: Pick<StepPort, 'side' | 'port'>) =>
    known.some((each) => each.side === side && each.port === port);
  const unknown = Map.groupBy(
    ends.filter((end) => !isKnown(end)),
    ({ side, port }) => `${side} ${port}`,
  );
  const others = [...unknown.values()].flatMap(([first]) =>
    first ? [{ side: first.side, port: first.port, type: null, isRequired: false, isMultiple: true }] : [],
  );
  return [...known, ...others].map((port) => ({
    ...port,
    at,
    step: node.id,
    edges: ends.filter((end) => end.side === port.side && end.port === port.port).map(({ edge }) => edge),
  }));
}

function endsOf({ edges }: Draft, id: string) {
  return edges.flatMap(({ from, to }, edge) => [
    ...(stepOf(from) === id ? [{ side: 'output' as const, port: portOf(from), edge }] : []),
    ...(stepOf(to) === id ? [{ side: 'input' as const, port: portOf(to), edge }] : []),
  ]);
}

/**
 * The ports that a port can be connected with: of the same type, on the other side, of another step, with room for one
 * more connection, and not connected with it yet.
 */
export function offeredFor(draft: Draft, library: Library, port: StepPort): readonly StepPort[] {
  if (port.type === null || !hasRoom(port)) return [];
  const connected = new Set(port.edges.flatMap((edge) => Object.values(draft.edges[edge] ?? {})));
  return draft.nodes
    .flatMap((_, at) => portsOf(draft, library, at))
    .filter((other) => other.side !== port.side && other.type === port.type && other.step !== port.step)
    .filter((other) => hasRoom(other) && !connected.has(endOf(other)));
}

function hasRoom({ isMultiple, edges }: StepPort): boolean {
  return isMultiple || edges.length === 0;
}

/** The end as connections write it: `prices.bars`. */
export function endOf({ step, port }: Pick<StepPort, 'step' | 'port'>): string {
  return `${step}.${port}`;
}

/** A connection between two ports, from the output to the input. */
export function edgeBetween(a: StepPort, b: StepPort): { readonly from: string; readonly to: string } {
  const [output, input] = a.side === 'output' ? [a, b] : [b, a];
  return { from: endOf(output), to: endOf(input) };
}
