import type { Draft, Library, ReadinessFailure } from '../wire-workflows.ts';
import { type Box, type Line, layoutOf, type PlacedBox, type Point, portOffset, SIZES } from './graph-layout.ts';
import { portsOf, type StepPort } from './step-ports.ts';

/** What is drawn of a workflow. */
export interface DrawnWorkflow {
  readonly draft: Draft;
  readonly library: Library;
  readonly failures: readonly ReadinessFailure[];
}

export interface PlacedStep {
  /** The place of the step in the draft. */
  readonly at: number;
  readonly title: string;
  readonly name: string;
  readonly place: PlacedBox;
  readonly faults: number;
}

export interface PlacedPort extends Point {
  readonly port: StepPort;
  readonly isFaulty: boolean;
}

/** A connection from its output by its bends to its input. */
export interface PlacedLine {
  readonly from: number;
  readonly to: number;
  readonly points: readonly Point[];
}

interface DrawnElements {
  readonly steps: readonly PlacedStep[];
  readonly ports: readonly PlacedPort[];
  readonly lines: readonly PlacedLine[];
}

/** The elements of the drawing with their places. */
export function elementsOf({ draft, library, failures }: DrawnWorkflow): DrawnElements {
  const ports = draft.nodes.map((_, at) => portsOf(draft, library, at));
  const boxes = ports.map(boxOf);
  const lines = draft.edges.flatMap((_, edge) => lineOf(edge, ports));
  const layout = layoutOf(boxes, lines);
  const placed = draft.nodes.map(({ id, node_id }, at) => {
    const place = layout.boxes[at] ?? { x: 0, y: 0, width: SIZES.least };
    const faults = failures.filter(({ node }) => node === id);
    const title = library.get(node_id)?.title ?? node_id;
    const own = (ports[at] ?? []).map((port) => placedPort(port, boxes[at] ?? NONE, place, faults));
    return { step: { at, title, name: id, place, faults: faults.length }, own };
  });
  const all = placed.flatMap(({ own }) => own);
  const endOf = (at: number, side: StepPort['side'], name: string) =>
    all.find(({ port }) => port.at === at && port.side === side && port.port === name) ?? { x: 0, y: 0 };
  return {
    steps: placed.map(({ step }) => step),
    ports: all,
    lines: lines.map(({ from, output, to, input }, index) => ({
      ...{ from, to },
      points: [endOf(from, 'output', output), ...(layout.routes[index] ?? []), endOf(to, 'input', input)],
    })),
  };
}

function boxOf(ports: readonly StepPort[]): Box {
  const of = (side: StepPort['side']) => ports.filter((each) => each.side === side).map(({ port }) => port);
  return { inputs: of('input'), outputs: of('output') };
}

/** Nothing for a connection whose steps are not both there. */
function lineOf(edge: number, ports: readonly (readonly StepPort[])[]): readonly Line[] {
  const all = ports.flat().filter(({ edges }) => edges.includes(edge));
  const [output, input] = (['output', 'input'] as const).map((side) => all.find((port) => port.side === side));
  return output && input ? [{ from: output.at, output: output.port, to: input.at, input: input.port }] : [];
}

function placedPort(port: StepPort, box: Box, place: PlacedBox, faults: readonly ReadinessFailure[]): PlacedPort {
  const isInput = port.side === 'input';
  return {
    port,
    x: place.x + portOffset(box, isInput ? 'inputs' : 'outputs', port.port),
    y: isInput ? place.y : place.y + SIZES.height,
    isFaulty: port.type === null || faults.some((fault) => fault.port === port.port && isInput),
  };
}

const NONE: Box = { inputs: [], outputs: [] };

/** Names a port of the drawing. */
export function portElementId({ at, side, port }: Pick<StepPort, 'at' | 'side' | 'port'>): string {
  return `${at} ${side} ${port}`;
}

/** The curve of a line: towards each of its bends, through the middles between them. */
export function curveOf([start, ...others]: readonly Point[]): string {
  const end = others.at(-1);
  if (!start || !end) return '';
  const bends = others.slice(0, -1);
  const parts = bends.map((bend, at) => {
    const next = bends[at + 1];
    const to = next ? { x: (bend.x + next.x) / 2, y: (bend.y + next.y) / 2 } : end;
    return `Q${textOf(bend)} ${textOf(to)}`;
  });
  return `M${textOf(start)}${parts.length > 0 ? parts.join('') : `L${textOf(end)}`}`;
}

function textOf({ x, y }: Point): string {
  return `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`;
}
