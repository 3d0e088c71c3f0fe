import { fill, h } from '../kit/elements.ts';
import { instrument } from '../kit/value-texts.ts';
import { atlasAddress, bandWords, linksOf, neighboursOf, type WireNetwork, type WireNode } from './atlas-data.ts';
import { showSeeds } from './atlas-seeds.ts';
import { cohortLink, cohortTable } from './showcase.ts';

const RECORDS = 50;
/** A network of at most so many nodes is shown as a table too, next to its drawing. */
const SMALL = 12;

/** Shows one node with the counts of its seed's cohort, its records and its neighbours; without one a small network. */
export function showNode(
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
    if (seed && cohort.isConnected) fill(cohort, cohortTable(instrument(seed.record), seed.overview), cohortLink(seed));
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
