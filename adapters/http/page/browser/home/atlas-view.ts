import { ask } from '../kit/ask.ts';
import { fill, h, part } from '../kit/elements.ts';
import { STEPS, steer } from '../kit/svg.ts';
import { instant, instrument } from '../kit/value-texts.ts';
import {
  atlasAddress,
  bandWords,
  KINDS,
  linksOf,
  matching,
  neighboursOf,
  networkWords,
  type WireNetwork,
  type WireNode,
} from './atlas-data.ts';
import { type AtlasDrawing, drawAtlas } from './atlas-drawing.ts';
import { showSeeds } from './atlas-seeds.ts';
import { cohortLink, cohortTable } from './showcase.ts';

const RECORDS = 50;
/** A network of at most so many nodes is shown as a table too, next to its drawing. */

const SMALL = 12;

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

const NOTHING = 'The atlas is empty: it shows only what enough independent owners have decided on, once it is graded.';
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
  const list = () => {
    const found = matching(network.nodes, search.value);
    listNodes(found, chosen, includesRetroactive);
    drawing.show(found);
  };
  const onSelect = (id: string) => location.assign(atlasAddress(id, includesRetroactive));
  const drawing = drawAtlas(box, network, { onSelect, signal });
  steer(box, drawing, signal);
  connectButtons(drawing, signal);
  search.addEventListener('input', list, { signal });
  list();
  return {
    includesRetroactive,
    select(id, visit) {
      chosen = id;
      drawing.select(id);
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

interface Choice {
  readonly includesRetroactive: boolean;
  readonly isEmpty: boolean;
  /** Whether the reader chose; false: the page did. */
  readonly isChosen: boolean;
}

/** Shows whether retroactive decisions are included. An empty atlas offers no choice. */
function showChoice(choice: Choice): void {
  part('#atlas-choice', HTMLElement).hidden = choice.isEmpty && choice.includesRetroactive;
  part('#atlas-back', HTMLInputElement).checked = choice.includesRetroactive;
  fill(part('#atlas-scope', HTMLElement), choiceWords(choice));
}

function choiceWords({ includesRetroactive, isEmpty, isChosen }: Choice): string {
  if (isEmpty) return '';
  if (!includesRetroactive) return 'These decisions were stated before the prices were known.';
  const words = 'Some of these decisions were stated after the prices were known.';
  return isChosen ? words : `${words} There are too few others to show them alone.`;
}

/** Shows one node with the counts of its seed's cohort, its records and its neighbours; without one a small network. */
function showNode(
  box: HTMLElement,
  network: WireNetwork,
  id: string | null,
  includesRetroactive: boolean,
  signal: AbortSignal,
): void {
  const isSmall = network.nodes.length <= SMALL && network.edges.length > 0;
  const node = network.nodes.find((each) => each.id === id);
  box.hidden = id === null && !isSmall;
  if (box.hidden) fill(box);
  else if (id === null) fill(box, linkTable(network, includesRetroactive));
  else if (node) showDetails(box, network, node, includesRetroactive, signal);
  else
    fill(box, h('p', { class: 'notice' }, 'The atlas no longer contains this node. Choose another one from the list.'));
}

function showDetails(
  box: HTMLElement,
  network: WireNetwork,
  node: WireNode,
  includesRetroactive: boolean,
  signal: AbortSignal,
): void {
  const records = h('ul', { class: 'records' }, h('li', { class: 'soft' }, 'Reading\u2026'));
  const cohort = h('div');
  const neighbours = neighboursOf(network, node.id).map(({ node: near, link }) =>
    h(
      'li',
      {},
      h('a', { href: atlasAddress(near.id, includesRetroactive) }, near.label),
      h('span', { class: 'about' }, link),
    ),
  );
  fill(
    box,
    h(
      'div',
      { class: 'head' },
      h('h3', { tabindex: -1 }, node.label),
      h('a', { href: atlasAddress(null, includesRetroactive), class: 'close' }, 'Close'),
    ),
    h('p', { class: 'soft' }, `${node.kind}, ${bandWords(node.count_band)}`),
    cohort,
    h('h4', {}, 'Records'),
    records,
    ...(neighbours.length > 0 ? [h('h4', {}, 'Linked with'), h('ul', { class: 'records' }, ...neighbours)] : []),
  );
  void showSeeds(records, { node: node.id, limit: RECORDS, includesRetroactive }, signal, ({ seeds: [seed] }) => {
    // The counts are of the instrument of the seed, also where the node is a perspective or a workflow.
    if (seed && cohort.isConnected) fill(cohort, cohortTable(instrument(seed.record), seed), cohortLink(seed));
  });
}

function linkTable(network: WireNetwork, includesRetroactive: boolean): HTMLElement {
  const link = ({ id, label }: WireNode) => h('a', { href: atlasAddress(id, includesRetroactive) }, label);
  return h(
    'table',
    {},
    h('caption', {}, 'The links of this small network'),
    h('thead', {}, h('tr', {}, ...['From', 'To', 'Records'].map((title) => h('th', { scope: 'col' }, title)))),
    h(
      'tbody',
      {},
      ...linksOf(network).map(({ from, to, words }) =>
        h('tr', {}, h('td', {}, link(from)), h('td', {}, link(to)), h('td', {}, words)),
      ),
    ),
  );
}
