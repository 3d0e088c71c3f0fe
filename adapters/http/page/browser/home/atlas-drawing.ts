import type { Core, StylesheetJson } from 'cytoscape';
import { addressOfFile } from '../kit/elements.ts';
import { type SteeredDrawing, takePointer } from '../kit/svg.ts';
import { inks } from '../records/chart.ts';
import { bandStep, type WireNetwork, type WireNode } from './atlas-data.ts';

export interface AtlasDrawing extends SteeredDrawing {
  /** Highlights a node with its neighbours; null: no node. */
  select(id: string | null): void;
  /** Fades the nodes that a search does not find. */
  show(found: readonly WireNode[]): void;
}

type Cytoscape = typeof import('cytoscape');

/** Draws the network into the box until the signal. The order of the nodes determines their positions. */
export async function drawAtlas(
  box: HTMLElement,
  network: WireNetwork,
  { onSelect, signal }: { readonly onSelect: (id: string) => void; readonly signal: AbortSignal },
): Promise<AtlasDrawing> {
  const { default: cytoscape }: { readonly default: Cytoscape } = await import(addressOfFile('cytoscape.mjs'));
  signal.throwIfAborted();
  const core = cytoscape({
    container: box,
    elements: [...network.nodes.map(nodeElement), ...network.edges.map(edgeElement)],
    style: styleOf(),
    minZoom: 0.2,
    maxZoom: 4,
    userZoomingEnabled: false,
    boxSelectionEnabled: false,
    autoungrabify: true,
    selectionType: 'single',
    layout: {
      name: 'cose',
      animate: false,
      randomize: false,
      nodeRepulsion: () => 220_000,
      idealEdgeLength: () => 90,
      numIter: 700,
      padding: MARGIN,
      nodeDimensionsIncludeLabels: true,
      componentSpacing: 90,
    },
  });
  showWhole(core);
  core.on('tap', 'node', ({ target }) => onSelect(target.id()));
  takePointer(box, core, signal);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => core.style(styleOf()), { signal });
  signal.addEventListener('abort', () => {
    core.destroy();
    delete box.dataset.drawn;
  });
  box.dataset.drawn = `${core.nodes().length} nodes, ${core.edges().length} links`;
  return controls(core);
}

function controls(core: Core): AtlasDrawing {
  const middle = () => ({ x: core.width() / 2, y: core.height() / 2 });
  return {
    select(id) {
      core.elements().removeClass('chosen near far');
      if (id === null) return;
      const node = core.getElementById(id);
      if (node.empty()) return;
      core.elements().addClass('far');
      node.closedNeighborhood().removeClass('far').addClass('near');
      node.addClass('chosen');
      core.center(node.closedNeighborhood());
    },
    show(found) {
      const ids = new Set(found.map(({ id }) => id));
      for (const node of core.nodes().toArray()) node.toggleClass('unfound', !ids.has(node.id()));
    },
    zoom: (factor) => core.zoom({ level: core.zoom() * factor, renderedPosition: middle() }),
    pan: (x, y) => core.panBy({ x, y }),
    fit: () => showWhole(core),
  };
}

/** Fits all nodes below the buttons; a few nodes are not drawn larger than many. */
function showWhole(core: Core): void {
  core.nodes().removeStyle('font-size');
  const box = core.elements().boundingBox();
  const [width, height] = [core.width() - 2 * MARGIN, core.height() - TOOLS - MARGIN];
  const zoom = Math.min(1, width / box.w, height / box.h);
  const pan = {
    x: MARGIN + (width - zoom * (box.x1 + box.x2)) / 2,
    y: TOOLS + (height - zoom * (box.y1 + box.y2)) / 2,
  };
  core.viewport({ zoom, pan });
  // Labels of few nodes stay readable in a small drawing; labels of many nodes would overlap.
  if (core.nodes().length <= FEW) core.nodes().style('font-size', Math.max(LABEL, READABLE / zoom));
}

const FEW = 40;
const LABEL = 15;
const READABLE = 9;
const MARGIN = 24;
const TOOLS = 64;
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

function nodeElement({ id, kind, label, count_band }: WireNode, index: number) {
  const radius = 40 * Math.sqrt(index + 1);
  const angle = index * GOLDEN_ANGLE;
  return {
    data: { id, kind, label, size: 18 + 9 * bandStep(count_band) },
    position: { x: radius * Math.cos(angle), y: radius * Math.sin(angle) },
  };
}

function edgeElement({ from, to, kind, weight_band }: WireNetwork['edges'][number]) {
  return { data: { id: `${from} ${kind} ${to}`, source: from, target: to, kind, width: 1 + bandStep(weight_band) } };
}

/** Kinds differ in shape as well as in colour. */
function styleOf(): StylesheetJson {
  const { text, soft, card, accent, favour, adverse } = inks();
  return [
    {
      selector: 'node',
      style: {
        width: 'data(size)',
        height: 'data(size)',
        label: 'data(label)',
        color: text,
        'font-size': LABEL,
        'font-family': 'system-ui, sans-serif',
        'text-valign': 'bottom',
        'text-margin-y': 4,
        'text-wrap': 'ellipsis',
        'text-max-width': '240px',
        'background-color': accent,
        'min-zoomed-font-size': 7,
        'text-outline-width': 2,
        'text-outline-color': card,
      },
    },
    { selector: 'node[kind = "perspective"]', style: { shape: 'diamond', 'background-color': adverse } },
    { selector: 'node[kind = "workflow"]', style: { shape: 'round-rectangle', 'background-color': favour } },
    { selector: 'edge', style: { width: 'data(width)', 'line-color': soft, opacity: 0.45, 'curve-style': 'haystack' } },
    { selector: 'edge[kind = "co_analysis"]', style: { 'line-style': 'solid' } },
    { selector: '.far', style: { opacity: 0.2 } },
    { selector: '.unfound', style: { opacity: 0.15 } },
    { selector: 'edge.near', style: { opacity: 0.9 } },
    { selector: 'node.chosen', style: { 'border-width': 3, 'border-color': text } },
  ];
}
