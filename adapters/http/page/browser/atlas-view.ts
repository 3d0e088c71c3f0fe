import { ask, refusalWords } from './ask.ts';
import { type AtlasNode, bandWords, KINDS, matching, type Network, networkWords } from './atlas.ts';
import { type AtlasDrawing, drawAtlas } from './atlas-drawing.ts';
import { showNode } from './atlas-node.ts';
import { fill, h, part } from './elements.ts';
import { instant } from './words.ts';

/** The atlas of the home view; `select` follows the address. */
export interface AtlasView {
  select(id: string | null): void;
}

/** Reads the network and draws it, and lists it beside: whatever the drawing offers, the list does. null when it cannot be read. */
export async function showAtlas(): Promise<AtlasView | null> {
  const about = part('#atlas-about', HTMLElement);
  try {
    const network = await ask<Network>('/api/v1/public/atlas/network?include_retroactive=true');
    fill(about, `${networkWords(network)} Counted ${instant(network.generated_at)}.`.trim());
    if (network.nodes.length > 0) return connect(network);
    tellEmpty(
      'The atlas is empty: it shows what enough independent owners have called. Once agents of several owners have submitted and their records are graded, it grows by itself.',
    );
    return { select: () => undefined };
  } catch (error) {
    fill(about);
    tellEmpty(`There is no atlas to show now. ${refusalWords(error)}`);
    return null;
  }
}

function tellEmpty(words: string): void {
  fill(part('#atlas-list', HTMLElement), h('li', {}, h('p', { class: 'notice' }, words)));
  part('#atlas', HTMLElement).dataset.empty = '';
}

function connect(network: Network): AtlasView {
  const search = part('#atlas-search', HTMLInputElement);
  const box = part('#atlas-drawing', HTMLElement);
  delete part('#atlas', HTMLElement).dataset.empty;
  let chosen: string | null = null;
  let drawing: AtlasDrawing | null = null;
  const list = () => {
    const found = matching(network.nodes, search.value);
    listNodes(found, chosen);
    drawing?.show(found);
  };
  search.addEventListener('input', list);
  list();
  void drawAtlas(box, network, (id) => location.assign(`#/atlas/${encodeURIComponent(id)}`)).then(
    (drawn) => {
      drawing = drawn;
      steer(box, drawn);
      drawn.select(chosen);
      list();
    },
    () => fill(box, h('p', { class: 'notice' }, 'The drawing could not be loaded; the list holds all of it.')),
  );
  return {
    select(id) {
      chosen = id;
      drawing?.select(id);
      list();
      showNode(part('#atlas-node', HTMLElement), network, id);
    },
  };
}

function listNodes(found: readonly AtlasNode[], chosen: string | null): void {
  const groups = KINDS.flatMap((kind) => {
    const own = found.filter((node) => node.kind === kind).toSorted((a, b) => (a.label < b.label ? -1 : 1));
    return own.length === 0
      ? []
      : [h('li', {}, h('h3', {}, `${kind}s`), h('ul', {}, ...own.map((node) => nodeLink(node, chosen))))];
  });
  const none = h(
    'li',
    {},
    h('p', { class: 'soft' }, 'Nothing of that name. Try a symbol, such as MSFT, or a perspective.'),
  );
  fill(part('#atlas-list', HTMLElement), ...(groups.length > 0 ? groups : [none]));
}

function nodeLink({ id, label, kind, count_band }: AtlasNode, chosen: string | null): HTMLElement {
  const link = h('a', { href: `#/atlas/${encodeURIComponent(id)}`, 'aria-current': id === chosen && 'true' }, label);
  return h('li', { class: kind }, link, h('span', { class: 'about' }, bandWords(count_band)));
}

const STEP = 60;
const CLOSER = 1.3;

function steer(box: HTMLElement, drawing: AtlasDrawing): void {
  box.tabIndex = 0;
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => drawing.pan(STEP, 0),
    ArrowRight: () => drawing.pan(-STEP, 0),
    ArrowUp: () => drawing.pan(0, STEP),
    ArrowDown: () => drawing.pan(0, -STEP),
    '+': () => drawing.zoom(CLOSER),
    '-': () => drawing.zoom(1 / CLOSER),
    '0': () => drawing.fit(),
  };
  box.addEventListener('keydown', (event) => {
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
  part('#atlas-closer', HTMLButtonElement).addEventListener('click', () => drawing.zoom(CLOSER));
  part('#atlas-further', HTMLButtonElement).addEventListener('click', () => drawing.zoom(1 / CLOSER));
  part('#atlas-whole', HTMLButtonElement).addEventListener('click', () => drawing.fit());
}
