import type { Core, EdgeSingular, NodeSingular, StylesheetJson } from 'cytoscape';
import { addressOfFile } from '../../kit/elements.ts';
import { type SteeredDrawing, takePointer } from '../../kit/svg.ts';
import { inks } from '../../records/chart.ts';
import { type DrawnWorkflow, elementsOf, portElementId } from './graph-elements.ts';
import type { StepPort } from './step-ports.ts';

const FONT = 'system-ui, sans-serif';

export interface GraphDrawing extends SteeredDrawing {
  /** Draws the workflow anew; the part of it that is in sight stays. */
  show(workflow: DrawnWorkflow): void;
  /** Highlights a step with its connections. */
  choose(at: number | null): void;
  /** Highlights a port that is being connected, with the ports that it can be connected with. */
  offer(port: StepPort | null, offered: readonly StepPort[]): void;
}

type Cytoscape = typeof import('cytoscape');
type PortName = Pick<StepPort, 'at' | 'side' | 'port'>;

interface Handlers {
  onStep(at: number): void;
  onPort(port: PortName): void;
  /** A line was drawn from one port to another one. */
  onLine(from: PortName, to: PortName): void;
  readonly signal: AbortSignal;
}

const MARGIN = 20;
/** Room for the buttons of the drawing. */
const TOP = 60;
/** Labels stay readable at first sight; what does not fit is reached by moving the drawing. */
const LEAST_ZOOM = 0.55;

/** Opens an empty drawing in the box, until the signal. */
export async function openDrawing(box: HTMLElement, handlers: Handlers): Promise<GraphDrawing> {
  const { default: cytoscape }: { readonly default: Cytoscape } = await import(addressOfFile('cytoscape.mjs'));
  const { signal } = handlers;
  signal.throwIfAborted();
  const core = cytoscape({
    container: box,
    style: graphStyle(),
    minZoom: 0.1,
    maxZoom: 2.5,
    userZoomingEnabled: false,
    boxSelectionEnabled: false,
    autoungrabify: true,
    selectionType: 'single',
    layout: { name: 'preset' },
  });
  listen(core, handlers);
  takePointer(box, core, signal);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => core.style(graphStyle()), { signal });
  signal.addEventListener('abort', () => core.destroy());
  return controls(core, box);
}

function listen(core: Core, { onStep, onPort, onLine }: Handlers): void {
  let pressed: NodeSingular | null = null;
  core.on('tap', 'node[kind = "box"]', ({ target }) => onStep(target.data('at')));
  core.on('tap', 'node[side]', ({ target }) => onPort(target.data()));
  core.on('tap', 'edge', ({ target }) => onStep(target.data('to')));
  core.on('tapstart', 'node[side]', ({ target }) => {
    pressed = target;
    core.userPanningEnabled(false);
  });
  core.on('tapend', ({ target }) => {
    core.userPanningEnabled(true);
    const from = pressed;
    pressed = null;
    if (!from || target === core || target === from || target.data('side') === undefined) return;
    onLine(from.data(), target.data());
  });
}

function controls(core: Core, box: HTMLElement): GraphDrawing {
  const middle = () => ({ x: core.width() / 2, y: core.height() / 2 });
  let isNew = true;
  // The reader's own view of the drawing stays; until then it follows what is drawn.
  let isMoved = false;
  core.on('dragpan scrollzoom pinchzoom', () => {
    isMoved = true;
  });
  return {
    show(workflow) {
      core.batch(() => {
        core.elements().remove();
        core.add([...elementsOf(workflow)]);
      });
      const isEmpty = workflow.draft.nodes.length === 0;
      if (!isEmpty && !isMoved) showFirst(core, isNew);
      isNew = isEmpty;
      box.dataset.drawn = `${core.nodes('[kind = "box"]').length} steps, ${core.edges().length} connections`;
    },
    choose(at) {
      core.elements('.chosen').removeClass('chosen');
      if (at === null) return;
      const chosen = core.getElementById(`box ${at}`).addClass('chosen');
      core.edges(`[from = ${at}], [to = ${at}]`).addClass('chosen');
      if (chosen.nonempty()) reveal(core, chosen);
    },
    offer(port, offered) {
      core.elements('.connecting, .offered, .dim').removeClass('connecting offered dim');
      if (!port) return;
      core.elements('node[side], edge').addClass('dim');
      core.getElementById(portElementId(port)).removeClass('dim').addClass('connecting');
      for (const each of offered) core.getElementById(portElementId(each)).removeClass('dim').addClass('offered');
    },
    zoom(factor) {
      isMoved = true;
      core.zoom({ level: core.zoom() * factor, renderedPosition: middle() });
    },
    pan(x, y) {
      isMoved = true;
      core.panBy({ x, y });
    },
    fit() {
      isMoved = true;
      showWhole(core);
    },
  };
}

/**
 * As large as all of its width can be seen, and large enough to be read: all of it if there is room, else from its top;
 * what is too tall stays where it is unless it is new.
 */
function showFirst(core: Core, isNew: boolean): void {
  const { x1, w, y1, h } = core.elements().boundingBox();
  const zoom = Math.min(1, Math.max(LEAST_ZOOM, (core.width() - 2 * MARGIN) / w));
  if (zoom * h <= core.height() - TOP - MARGIN) showWhole(core, zoom);
  else if (isNew) core.viewport({ zoom, pan: { x: core.width() / 2 - zoom * (x1 + w / 2), y: TOP - zoom * y1 } });
}

/** Shows everything, in the middle of the room below the buttons. */
function showWhole(core: Core, most = 1): void {
  const { x1, w, y1, h } = core.elements().boundingBox();
  const height = core.height() - TOP - MARGIN;
  const zoom = Math.min(most, (core.width() - 2 * MARGIN) / w, height / h);
  const pan = { x: core.width() / 2 - zoom * (x1 + w / 2), y: TOP + height / 2 - zoom * (y1 + h / 2) };
  core.viewport({ zoom, pan });
}

/** Moves the drawing as little as possible, so that the step is in sight. */
function reveal(core: Core, step: NodeSingular): void {
  const { x1, x2, y1, y2 } = step.renderedBoundingBox();
  const x = shiftInto(x1, x2, MARGIN, core.width() - MARGIN);
  const y = shiftInto(y1, y2, TOP, core.height() - MARGIN);
  if (x !== 0 || y !== 0) core.panBy({ x, y });
}

function shiftInto(start: number, end: number, least: number, most: number): number {
  if (start < least) return least - start;
  return end > most ? Math.max(most - end, least - start) : 0;
}

/** The look of the drawing in the current colour scheme. What is faulty differs in shape or border, not only in colour. */
function graphStyle(): StylesheetJson {
  const { text, soft, line, card, accent, adverse, favour } = inks();
  const label = { label: 'data(label)', color: text, 'font-family': FONT, 'min-zoomed-font-size': 5 } as const;
  return [
    {
      selector: 'node[kind = "box"]',
      style: {
        ...label,
        shape: 'round-rectangle',
        width: 'data(width)',
        height: 'data(height)',
        'corner-radius': '8',
        'background-color': card,
        'border-width': 1,
        'border-color': soft,
        'font-size': 13,
        'font-weight': 600,
        'text-valign': 'center',
        'text-margin-y': -7,
        'text-wrap': 'ellipsis',
        'text-max-width': '194px',
      },
    },
    { selector: 'node[kind = "box"].chosen', style: { 'border-width': 3, 'border-color': accent } },
    { selector: 'node[kind = "box"].faulty', style: { 'border-style': 'dashed', 'border-color': adverse } },
    {
      selector: 'node[kind = "name"]',
      style: {
        ...label,
        events: 'no',
        width: 1,
        height: 1,
        'background-opacity': 0,
        color: soft,
        'font-size': 11,
        'text-valign': 'center',
      },
    },
    {
      selector: 'node[kind = "faults"]',
      style: {
        ...label,
        events: 'no',
        shape: 'round-hexagon',
        width: 20,
        height: 20,
        color: card,
        'background-color': adverse,
        'font-size': 12,
        'font-weight': 600,
        'text-valign': 'center',
      },
    },
    {
      selector: 'node[side]',
      style: {
        ...label,
        'text-events': 'yes',
        width: 12,
        height: 12,
        'background-color': accent,
        'border-width': 2,
        'border-color': accent,
        'font-size': 11,
        color: soft,
        'text-wrap': 'ellipsis',
        'text-max-width': '76px',
      },
    },
    { selector: 'node[kind = "input"]', style: { 'text-valign': 'bottom', 'text-margin-y': 4 } },
    { selector: 'node[kind = "output"]', style: { 'text-valign': 'top', 'text-margin-y': -4, shape: 'rectangle' } },
    { selector: 'node[side].open', style: { 'background-color': card } },
    { selector: 'node[side].faulty', style: { 'border-color': adverse, color: adverse } },
    {
      selector: 'node[side].connecting',
      style: { width: 20, height: 20, 'border-color': favour, 'background-color': favour },
    },
    {
      selector: 'node[side].offered',
      style: { width: 20, height: 20, 'border-color': favour, color: text, 'font-weight': 600 },
    },
    { selector: '.dim', style: { opacity: 0.25 } },
    {
      selector: 'edge',
      style: {
        width: 1.5,
        'line-color': soft,
        opacity: 0.7,
        'curve-style': 'unbundled-bezier',
        'edge-distances': 'node-position',
        'control-point-weights': (edge: EdgeSingular) => edge.data('weights'),
        'control-point-distances': (edge: EdgeSingular) => edge.data('distances'),
        'target-arrow-shape': 'triangle',
        'target-arrow-color': soft,
        'arrow-scale': 0.8,
      },
    },
    { selector: 'edge.chosen', style: { width: 2.5, opacity: 1, 'line-color': accent, 'target-arrow-color': accent } },
    { selector: 'core', style: { 'active-bg-color': line } },
  ] as unknown as StylesheetJson;
}
