import type { EdgeDefinition, ElementDefinition, NodeDefinition } from 'cytoscape';
import type { Draft, Library, ReadinessFailure } from '../wire-workflows.ts';
import { type Box, type Layout, type Line, layoutOf, type PlacedBox, portOffset, SIZES } from './graph-layout.ts';
import { portsOf, type StepPort } from './step-ports.ts';

/** What is drawn of a workflow. */
export interface DrawnWorkflow {
  readonly draft: Draft;
  readonly library: Library;
  readonly failures: readonly ReadinessFailure[];
}

/** The elements of the drawing. Boxes are named by the places of their steps, ports also by side and name. */
export function elementsOf({ draft, library, failures }: DrawnWorkflow): readonly ElementDefinition[] {
  const ports = draft.nodes.map((_, at) => portsOf(draft, library, at));
  const boxes = ports.map(boxOf);
  const lines = draft.edges.flatMap((_, edge) => lineOf(edge, ports));
  const layout = layoutOf(boxes, lines);
  return [
    ...lines.map((line, at) => lineElement(line, at, layout, boxes)),
    ...draft.nodes.flatMap(({ id, node_id }, at) => {
      const place = layout.boxes[at];
      const box = boxes[at];
      if (!place || !box) return [];
      const faults = failures.filter(({ node }) => node === id);
      const title = library.get(node_id)?.title ?? node_id;
      return [
        ...boxElements(at, title, id, place, faults.length),
        ...(ports[at] ?? []).map((port) => portElement(port, box, place, faults)),
      ];
    }),
  ];
}

function boxOf(ports: readonly StepPort[]): Box {
  const of = (side: StepPort['side']) => ports.filter((each) => each.side === side).map(({ port }) => port);
  return { inputs: of('input'), outputs: of('output') };
}

interface EdgeLine extends Line {
  /** The place of the connection in the draft. */
  readonly edge: number;
}

/** Nothing for a connection whose steps are not both there. */
function lineOf(edge: number, ports: readonly (readonly StepPort[])[]): readonly EdgeLine[] {
  const all = ports.flat().filter(({ edges }) => edges.includes(edge));
  const [output, input] = (['output', 'input'] as const).map((side) => all.find((port) => port.side === side));
  return output && input ? [{ edge, from: output.at, output: output.port, to: input.at, input: input.port }] : [];
}

export function portElementId({ at, side, port }: Pick<StepPort, 'at' | 'side' | 'port'>): string {
  return `${at} ${side} ${port}`;
}

const NAME_LENGTH = 28;

function boxElements(
  at: number,
  title: string,
  id: string,
  place: PlacedBox,
  faults: number,
): readonly NodeDefinition[] {
  const middle = { x: place.x + place.width / 2, y: place.y + SIZES.height / 2 };
  const name = id.length > NAME_LENGTH ? `${id.slice(0, NAME_LENGTH - 1)}\u2026` : id;
  return [
    {
      data: { id: `box ${at}`, kind: 'box', at, label: title, width: place.width, height: SIZES.height },
      position: middle,
      classes: faults > 0 ? 'faulty' : '',
    },
    { data: { id: `name ${at}`, kind: 'name', at, label: name }, position: { x: middle.x, y: middle.y + NAME_DROP } },
    ...(faults === 0
      ? []
      : [
          {
            data: { id: `faults ${at}`, kind: 'faults', at, label: String(faults) },
            position: { x: place.x + place.width, y: place.y + SIZES.height / 2 },
          },
        ]),
  ];
}

const NAME_DROP = 10;

function portElement(port: StepPort, box: Box, place: PlacedBox, faults: readonly ReadinessFailure[]): NodeDefinition {
  const isInput = port.side === 'input';
  const x = place.x + portOffset(box, isInput ? 'inputs' : 'outputs', port.port);
  const isFaulty = port.type === null || faults.some((fault) => fault.port === port.port && isInput);
  return {
    data: { id: portElementId(port), kind: port.side, at: port.at, side: port.side, port: port.port, label: port.port },
    position: { x, y: isInput ? place.y : place.y + SIZES.height },
    classes: [isFaulty && 'faulty', port.edges.length === 0 && 'open'].filter(Boolean).join(' '),
  };
}

function lineElement(line: EdgeLine, index: number, layout: Layout, boxes: readonly Box[]): EdgeDefinition {
  const source = { at: line.from, side: 'output' as const, port: line.output };
  const target = { at: line.to, side: 'input' as const, port: line.input };
  const [from, to] = [layout.boxes[line.from], layout.boxes[line.to]];
  const [start, end] = [
    {
      x: (from?.x ?? 0) + portOffset(boxes[line.from] ?? NONE, 'outputs', line.output),
      y: (from?.y ?? 0) + SIZES.height,
    },
    { x: (to?.x ?? 0) + portOffset(boxes[line.to] ?? NONE, 'inputs', line.input), y: to?.y ?? 0 },
  ];
  const [across, down] = [end.x - start.x, end.y - start.y];
  const square = across * across + down * down || 1;
  const bends = (layout.routes[index] ?? []).map(({ x, y }) => ({ x: x - start.x, y: y - start.y }));
  return {
    data: {
      ...{ id: `line ${line.edge}`, kind: 'line', from: line.from, to: line.to },
      ...{ source: portElementId(source), target: portElementId(target) },
      // Bends along the straight line from end to end, as parts of its length, and their distances from it.
      weights: bends.map(({ x, y }) => (x * across + y * down) / square),
      distances: bends.map(({ x, y }) => (y * across - x * down) / Math.sqrt(square)),
    },
  };
}

const NONE: Box = { inputs: [], outputs: [] };
