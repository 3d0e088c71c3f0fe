import { ask } from '../kit/ask.ts';
import { fill, h, part } from '../kit/elements.ts';
import { STEPS, steer } from '../kit/steered-drawing.ts';
import { instant } from '../kit/value-texts.ts';
import { showChoice } from './atlas-choice.ts';
import {
  atlasAddress,
  bandWords,
  KINDS,
  matching,
  networkWords,
  type WireNetwork,
  type WireNode,
} from './atlas-data.ts';
import { type AtlasDrawing, drawAtlas } from './atlas-drawing.ts';
import { showNode } from './atlas-node.ts';

/** The atlas of the home view; `select` shows the node of the address. */
export interface AtlasPanel {
  readonly includesRetroactive: boolean;
  /** @param visit aborted when the reader goes elsewhere */
  select(id: string | null, visit: AbortSignal): void;
}

interface Shown {
  readonly network: WireNetwork;
  readonly includesRetroactive: boolean;
  /** Removes the listeners of this network. */
  readonly signal: AbortSignal;
}

let current = new AbortController();

/**
 * Reads the network, draws it and lists it: the list offers everything that the drawing offers. Without a choice of the
 * reader it includes retroactive decisions only if there is nothing else. @throws RefusedRequest
 */
export async function showAtlas(choice: boolean | null): Promise<AtlasPanel> {
  current.abort();
  current = new AbortController();
  const { signal } = current;
  const { network, includesRetroactive } = await readNetwork(choice);
  const isEmpty = network.nodes.length === 0;
  fill(part('#atlas-about', HTMLElement), `${networkWords(network)} Counted ${instant(network.generated_at)}.`.trim());
  showChoice({ includesRetroactive, isEmpty, isChosen: choice !== null });
  if (!isEmpty) return connect({ network, includesRetroactive, signal });
  showEmpty(h('p', { class: 'notice' }, includesRetroactive ? NOTHING : NOTHING_REALTIME));
  return { includesRetroactive, select: () => undefined };
}

/** @param reason why the network cannot be read, and what comes next */
export function showNoAtlas(reason: HTMLElement): void {
  fill(part('#atlas-about', HTMLElement));
  showEmpty(reason);
}

async function readNetwork(choice: boolean | null): Promise<Omit<Shown, 'signal'>> {
  const includesRetroactive = choice ?? false;
  const network = await ask<WireNetwork>(`/api/v1/public/atlas/network?include_retroactive=${includesRetroactive}`);
  return network.nodes.length > 0 || choice !== null ? { network, includesRetroactive } : readNetwork(true);
}

const NOTHING =
  'The atlas is empty: it shows only what enough independent owners have decided on. It grows once agents of several owners have submitted decisions and these are graded.';
const NOTHING_REALTIME =
  'Nothing to show yet: too few independent owners have stated decisions before the prices were known. Include retroactive decisions to see the others.';

function showEmpty(reason: HTMLElement): void {
  fill(part('#atlas-list', HTMLElement), h('li', {}, reason));
  part('#atlas', HTMLElement).dataset.empty = '';
  part('#atlas-node', HTMLElement).hidden = true;
}

function connect({ network, includesRetroactive, signal }: Shown): AtlasPanel {
  const search = part('#atlas-search', HTMLInputElement);
  const box = part('#atlas-drawing', HTMLElement);
  delete part('#atlas', HTMLElement).dataset.empty;
  let chosen: string | null = null;
  let drawing: AtlasDrawing | null = null;
  const list = () => {
    const found = matching(network.nodes, search.value);
    listNodes(found, chosen, includesRetroactive);
    drawing?.show(found);
  };
  search.addEventListener('input', list, { signal });
  list();
  void drawAtlas(box, network, {
    onSelect: (id) => location.assign(atlasAddress(id, includesRetroactive)),
    signal,
  }).then(
    (drawn) => {
      if (signal.aborted) return;
      drawing = drawn;
      steer(box, drawn, signal);
      connectButtons(drawn, signal);
      drawn.select(chosen);
      list();
    },
    () => {
      if (signal.aborted) return;
      fill(box, h('p', { class: 'notice' }, 'The drawing could not be loaded; the list contains everything.'));
    },
  );
  return {
    includesRetroactive,
    select(id, visit) {
      chosen = id;
      drawing?.select(id);
      list();
      showNode(part('#atlas-node', HTMLElement), network, id, includesRetroactive, visit);
    },
  };
}

function listNodes(found: readonly WireNode[], chosen: string | null, includesRetroactive: boolean): void {
  const groups = KINDS.flatMap((kind) => {
    const own = found.filter((node) => node.kind === kind).toSorted((a, b) => (a.label < b.label ? -1 : 1));
    return own.length === 0
      ? []
      : [
          h(
            'li',
            {},
            h('h3', {}, `${kind}s`),
            h('ul', {}, ...own.map((node) => nodeLink(node, chosen, includesRetroactive))),
          ),
        ];
  });
  const none = h(
    'li',
    {},
    h('p', { class: 'soft' }, 'No node has that name. Try a symbol, such as MSFT, or a perspective.'),
  );
  fill(part('#atlas-list', HTMLElement), ...(groups.length > 0 ? groups : [none]));
}

function nodeLink(
  { id, label, kind, count_band }: WireNode,
  chosen: string | null,
  includesRetroactive: boolean,
): HTMLElement {
  const link = h('a', { href: atlasAddress(id, includesRetroactive), 'aria-current': id === chosen && 'true' }, label);
  return h('li', { class: kind }, link, h('span', { class: 'about' }, bandWords(count_band)));
}

function connectButtons(drawing: AtlasDrawing, signal: AbortSignal): void {
  const connect = (id: string, act: (drawing: AtlasDrawing) => void) =>
    part(id, HTMLButtonElement).addEventListener('click', () => act(drawing), { signal });
  connect('#atlas-closer', STEPS.closer);
  connect('#atlas-further', STEPS.further);
  connect('#atlas-whole', STEPS.whole);
}
