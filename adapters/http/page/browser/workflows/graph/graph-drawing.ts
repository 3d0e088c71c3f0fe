import { type Extent, extentOf, fitted, openPlane, type Plane, showWhole } from '../../kit/plane.ts';
import { type SteeredDrawing, s } from '../../kit/svg.ts';
import {
  curveOf,
  type DrawnWorkflow,
  elementsOf,
  type PlacedLine,
  type PlacedPort,
  type PlacedStep,
  portElementId,
} from './graph-elements.ts';
import { SIZES } from './graph-layout.ts';
import type { StepPort } from './step-ports.ts';

export interface GraphDrawing extends SteeredDrawing {
  /** Draws the workflow anew; the part of it that is in sight stays. */
  show(workflow: DrawnWorkflow): void;
  /** Highlights a step with its connections. */
  choose(at: number | null): void;
  /** Highlights a port that is being connected, with the ports that it can be connected with. */
  offer(port: StepPort | null, offered: readonly StepPort[]): void;
}

type PortName = Pick<StepPort, 'at' | 'side' | 'port'>;

interface Handlers {
  onStep(at: number): void;
  onPort(port: PortName): void;
  /** A line was drawn from one port to another one. */
  onLine(from: PortName, to: PortName): void;
  readonly signal: AbortSignal;
}

/** Room for the buttons of the drawing is at its top. */
const MARGINS = { side: 20, top: 60 };
/** Labels stay readable at first sight; what does not fit is reached by moving the drawing. */
const LEAST_ZOOM = 0.55;
const FONTS = { title: '600 13px system-ui, sans-serif', small: '11px system-ui, sans-serif' } as const;
const WIDTHS = { title: 194, name: 190, port: 76 } as const;
const PORT = 6;

/** What of the drawing is a step, a port or a connection, by its element. */
interface Marks {
  readonly steps: ReadonlyMap<number, SVGElement>;
  readonly ports: ReadonlyMap<string, SVGElement>;
  readonly lines: readonly (readonly [PlacedLine, SVGElement])[];
  readonly names: ReadonlyMap<SVGElement, PortName>;
  readonly whole: Extent;
  readonly places: ReadonlyMap<number, Extent>;
}

/** Opens an empty drawing in the box, until the signal. */
export function openDrawing(box: HTMLElement, handlers: Handlers): GraphDrawing {
  let marks: Marks | null = null;
  let isNew = true;
  // The reader's own view of the drawing stays; until then it follows what is drawn.
  let isMoved = false;
  const portAt = (target: Element | null) => {
    const element = target?.closest<SVGElement>('[data-port]');
    return element ? marks?.names.get(element) : undefined;
  };
  const settle = () => {
    if (!marks || plane.size().width === 0) return;
    const isEmpty = marks.steps.size === 0;
    if (!isEmpty && !isMoved) showFirst(plane, marks.whole, isNew);
    isNew = isEmpty;
  };
  const plane = openPlane(box, {
    onSized: settle,
    ...{ least: 0.1, most: 2.5, readable: 5 / 13, signal: handlers.signal },
    isPulled: (target) => portAt(target) !== undefined,
    onTap(target) {
      const port = portAt(target);
      const step = target.closest<SVGElement>('[data-step]')?.dataset.step;
      if (port) handlers.onPort(port);
      else if (step !== undefined) handlers.onStep(Number(step));
    },
    onMoved() {
      isMoved = true;
    },
  });
  plane.content.classList.add('flow');
  pullLines(box, portAt, handlers);
  return {
    show(workflow) {
      marks = drawn(plane.content, workflow);
      settle();
      box.dataset.drawn = `${marks.steps.size} steps, ${marks.lines.length} connections`;
    },
    choose(at) {
      for (const [step, mark] of marks?.steps ?? []) mark.classList.toggle('chosen', step === at);
      for (const [{ from, to }, mark] of marks?.lines ?? []) mark.classList.toggle('chosen', from === at || to === at);
      const place = at === null ? undefined : marks?.places.get(at);
      if (place) reveal(plane, place);
    },
    offer(port, offered) {
      const [own, ids] = [port && portElementId(port), new Set(offered.map(portElementId))];
      for (const [id, mark] of marks?.ports ?? []) {
        mark.classList.toggle('connecting', id === own);
        mark.classList.toggle('offered', ids.has(id));
        mark.classList.toggle('dim', own !== null && id !== own && !ids.has(id));
      }
      for (const [, mark] of marks?.lines ?? []) mark.classList.toggle('dim', own !== null);
    },
    zoom(factor) {
      isMoved = true;
      plane.zoom(factor);
    },
    pan(x, y) {
      isMoved = true;
      plane.pan(x, y);
    },
    fit() {
      isMoved = true;
      if (marks && marks.steps.size > 0) showWhole(plane, marks.whole, MARGINS);
    },
  };
}

/** A line is pulled from the port that was pressed to the one where the pointer is released. */
function pullLines(
  box: HTMLElement,
  portAt: (target: Element | null) => PortName | undefined,
  { onLine, signal }: Handlers,
): void {
  let from: PortName | undefined;
  box.addEventListener(
    'pointerdown',
    ({ target }) => {
      from = target instanceof Element ? portAt(target) : undefined;
    },
    { signal },
  );
  box.addEventListener(
    'pointerup',
    ({ clientX, clientY }) => {
      // A finger holds what it pressed, so that the target says nothing.
      const to = portAt(document.elementFromPoint(clientX, clientY));
      if (from && to && from !== to) onLine(from, to);
      from = undefined;
    },
    { signal },
  );
}

function drawn(content: SVGGElement, workflow: DrawnWorkflow): Marks {
  const { steps, ports, lines } = elementsOf(workflow);
  const marks = {
    steps: new Map(steps.map((step) => [step.at, stepMark(step)] as const)),
    ports: new Map(ports.map((each) => [portElementId(each.port), portMark(each)] as const)),
    lines: lines.map((line) => [line, lineMark(line)] as const),
  };
  content.replaceChildren(...marks.lines.map(([, mark]) => mark), ...marks.steps.values(), ...marks.ports.values());
  const places = new Map(
    steps.map(({ at, place: { x, y, width } }) => {
      // Labels of ports are above and below.
      return [at, { x1: x, x2: x + width, y1: y - 2 * PORT - 16, y2: y + SIZES.height + 2 * PORT + 16 }] as const;
    }),
  );
  const names = new Map(
    ports.flatMap(({ port }) => {
      const mark = marks.ports.get(portElementId(port));
      return mark ? [[mark, port] as const] : [];
    }),
  );
  const bends = lines.flatMap(({ points }) => points.map(({ x, y }) => ({ x1: x, x2: x, y1: y, y2: y })));
  return { ...marks, names, places, whole: extentOf([...places.values(), ...bends]) };
}

function stepMark({ at, title, name, place: { x, y, width }, faults }: PlacedStep): SVGElement {
  const [middle, half] = [width / 2, SIZES.height / 2];
  return s(
    'g',
    { class: faults > 0 ? 'step faulty' : 'step', 'data-step': at, transform: `translate(${x} ${y})` },
    s('rect', { width, height: SIZES.height, rx: 8 }),
    s('text', { class: 'title', x: middle, y: half - 3 }, fitted(title, FONTS.title, WIDTHS.title)),
    s('text', { x: middle, y: half + 14 }, fitted(name, FONTS.small, WIDTHS.name)),
    faults > 0 && s('circle', { class: 'faults', cx: width, cy: half, r: 10 }),
    faults > 0 && s('text', { class: 'faults', x: width, y: half + 4 }, String(faults)),
  );
}

function portMark({ port, x, y, isFaulty }: PlacedPort): SVGElement {
  const isInput = port.side === 'input';
  const classes = ['port', isFaulty && 'faulty', port.edges.length === 0 && 'open'].filter(Boolean).join(' ');
  const shape = isInput
    ? s('circle', { r: PORT })
    : s('rect', { x: -PORT, y: -PORT, width: 2 * PORT, height: 2 * PORT });
  return s(
    'g',
    { class: classes, 'data-port': portElementId(port), transform: `translate(${x} ${y})` },
    // A finger or a pointer meets more than is seen.
    s('circle', { class: 'near', r: 2 * PORT }),
    shape,
    s('text', { y: isInput ? PORT + 14 : -PORT - 6 }, fitted(port.port, FONTS.small, WIDTHS.port)),
  );
}

function lineMark({ to, points }: PlacedLine): SVGElement {
  const [before, end] = points.slice(-2);
  const angle = before && end ? (Math.atan2(end.y - before.y, end.x - before.x) * 180) / Math.PI : 0;
  const d = curveOf(points);
  return s(
    'g',
    { class: 'line', 'data-step': to },
    s('path', { class: 'near', d }),
    s('path', { d }),
    s('path', {
      class: 'tip',
      d: `M${-PORT} 0l-7 -4v8Z`,
      transform: `translate(${end?.x ?? 0} ${end?.y ?? 0}) rotate(${Math.round(angle)})`,
    }),
  );
}

/**
 * As large as all of its width can be seen, and large enough to be read: all of it if there is room, else from its top;
 * what is too tall stays where it is unless it is new.
 */
function showFirst(plane: Plane, whole: Extent, isNew: boolean): void {
  const { width, height } = plane.size();
  const zoom = Math.min(1, Math.max(LEAST_ZOOM, (width - 2 * MARGINS.side) / (whole.x2 - whole.x1)));
  if (zoom * (whole.y2 - whole.y1) <= height - MARGINS.top - MARGINS.side) showWhole(plane, whole, MARGINS, zoom);
  else if (isNew)
    plane.look({ zoom, x: width / 2 - (zoom * (whole.x1 + whole.x2)) / 2, y: MARGINS.top - zoom * whole.y1 });
}

/** Moves the drawing as little as possible, so that the step is in sight. */
function reveal(plane: Plane, { x1, x2, y1, y2 }: Extent): void {
  const [{ zoom, x, y }, { width, height }] = [plane.sight(), plane.size()];
  if (width === 0) return;
  const across = shiftInto(zoom * x1 + x, zoom * x2 + x, MARGINS.side, width - MARGINS.side);
  const down = shiftInto(zoom * y1 + y, zoom * y2 + y, MARGINS.top, height - MARGINS.side);
  if (across !== 0 || down !== 0) plane.pan(across, down);
}

function shiftInto(start: number, end: number, least: number, most: number): number {
  if (start < least) return least - start;
  return end > most ? Math.max(most - end, least - start) : 0;
}
