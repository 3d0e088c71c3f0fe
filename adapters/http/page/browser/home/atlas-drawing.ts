import { type Extent, extentOf, fitted, openPlane, showWhole, textWidth } from '../kit/plane.ts';
import { type SteeredDrawing, s } from '../kit/svg.ts';
import { bandStep, type WireNetwork, type WireNode } from './atlas-data.ts';
import { placesOf } from './atlas-layout.ts';

export interface AtlasDrawing extends SteeredDrawing {
  /** Highlights a node with its neighbours; null: no node. */
  select(id: string | null): void;
  /** Fades the nodes that a search does not find. */
  show(found: readonly WireNode[]): void;
}

const LABEL = 15;
const FONT = `${LABEL}px system-ui, sans-serif`;
const WIDEST = 240;
const READABLE = 9;
/** Labels of few nodes stay readable in a small drawing; labels of many nodes would overlap. */
const FEW = 40;
const MARGINS = { side: 24, top: 64 };

interface DrawnNode extends WireNode {
  readonly words: string;
  readonly radius: number;
  readonly x: number;
  readonly y: number;
  readonly extent: Extent;
}

/** Draws the network into the box until the signal. The order of the nodes determines their positions. */
export function drawAtlas(
  box: HTMLElement,
  network: WireNetwork,
  { onSelect, signal }: { readonly onSelect: (id: string) => void; readonly signal: AbortSignal },
): AtlasDrawing {
  const nodes = placed(network);
  const edges = network.edges.filter(({ from, to }) => [from, to].every((id) => nodes.some((node) => node.id === id)));
  const whole = extentOf(nodes.map(({ extent }) => extent));
  const fit = () => {
    showWhole(plane, whole, MARGINS);
    const size = nodes.length <= FEW ? Math.max(LABEL, READABLE / plane.sight().zoom) : LABEL;
    plane.content.setAttribute('font-size', String(size));
  };
  const plane = openPlane(box, {
    ...{ least: 0.2, most: 4, readable: 7 / LABEL, signal },
    onSized: fit,
    onTap(target) {
      const id = target.closest<SVGElement>('[data-id]')?.dataset.id;
      if (id !== undefined) onSelect(id);
    },
  });
  const [links, marks] = [edges.map((edge) => lineOf(edge, nodes)), nodes.map(markOf)];
  plane.content.append(...links, ...marks);
  plane.content.classList.add('atlas-net');
  signal.addEventListener('abort', () => delete box.dataset.drawn);
  box.dataset.drawn = `${nodes.length} nodes, ${edges.length} links`;
  return {
    select(id) {
      const near = new Set(edges.flatMap(({ from, to }) => (from === id || to === id ? [from, to] : [])));
      const isNone = !nodes.some((node) => node.id === id);
      for (const [at, { from, to }] of edges.entries()) {
        const isNear = from === id || to === id;
        links[at]?.classList.toggle('near', isNear);
        links[at]?.classList.toggle('far', !isNone && !isNear);
      }
      for (const [at, node] of nodes.entries()) {
        marks[at]?.classList.toggle('chosen', node.id === id);
        marks[at]?.classList.toggle('far', !isNone && node.id !== id && !near.has(node.id));
      }
      const shown = nodes.filter((node) => node.id === id || near.has(node.id));
      if (isNone || shown.length === 0) return;
      const { x1, x2, y1, y2 } = extentOf(shown.map(({ extent }) => extent));
      plane.centre({ x: (x1 + x2) / 2, y: (y1 + y2) / 2 });
    },
    show(found) {
      const ids = new Set(found.map(({ id }) => id));
      for (const [at, { id }] of nodes.entries()) marks[at]?.classList.toggle('unfound', !ids.has(id));
    },
    zoom: plane.zoom,
    pan: plane.pan,
    fit,
  };
}

function placed({ nodes, edges }: WireNetwork): readonly DrawnNode[] {
  const sized = nodes.map((node) => {
    const words = fitted(node.label, FONT, WIDEST);
    const radius = 9 + 4.5 * bandStep(node.count_band);
    return {
      ...node,
      words,
      radius,
      width: Math.max(2 * radius, textWidth(words, FONT)),
      height: 2 * radius + LABEL + 6,
    };
  });
  const at = new Map(nodes.map(({ id }, index) => [id, index]));
  const links = edges.map(({ from, to }) => [at.get(from) ?? 0, at.get(to) ?? 0] as const);
  const places = placesOf(sized, links);
  return sized.map(({ width, height, ...node }, index) => {
    const { x, y } = places[index] ?? { x: 0, y: 0 };
    // Its place is the middle of node and label.
    const extent = { x1: x - width / 2, x2: x + width / 2, y1: y - height / 2, y2: y + height / 2 };
    return { ...node, x, y: extent.y1 + node.radius, extent };
  });
}

function lineOf({ from, to, weight_band }: WireNetwork['edges'][number], nodes: readonly DrawnNode[]): SVGElement {
  const [a, b] = [from, to].map((id) => nodes.find((node) => node.id === id));
  return s('line', { x1: a?.x, y1: a?.y, x2: b?.x, y2: b?.y, 'stroke-width': 1 + bandStep(weight_band) });
}

/** Kinds differ in shape as well as in colour. */
function markOf({ id, kind, words, radius: r, x, y }: DrawnNode): SVGElement {
  const shapes = {
    instrument: () => s('circle', { r }),
    perspective: () => s('path', { d: `M0 ${-r}L${r} 0L0 ${r}L${-r} 0Z` }),
    workflow: () => s('rect', { x: -r, y: -r, width: 2 * r, height: 2 * r, rx: r / 3 }),
  };
  return s(
    'g',
    { class: kind, 'data-id': id, transform: `translate(${x} ${y})` },
    shapes[kind](),
    s('text', { y: r + 4, dy: '0.8em', 'text-anchor': 'middle' }, words),
  );
}
