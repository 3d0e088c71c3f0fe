import { fill, h } from '../kit/elements.ts';
import { atlasAddress, bandWords, neighboursOf, type WireNetwork } from './atlas-data.ts';
import { showSeeds } from './atlas-seeds.ts';

const RECORDS = 50;

/** Shows one node with links to its records and its neighbours. */
export function showNode(
  box: HTMLElement,
  network: WireNetwork,
  id: string | null,
  includesRetroactive: boolean,
): void {
  const node = network.nodes.find((each) => each.id === id);
  box.hidden = id === null;
  if (id === null) return;
  if (!node) {
    fill(box, h('p', { class: 'notice' }, 'The atlas no longer contains this node. Choose another one from the list.'));
    return;
  }
  const records = h('ul', { class: 'records' }, h('li', { class: 'soft' }, 'Reading\u2026'));
  const neighbours = neighboursOf(network, id).map(({ node: near, link }) =>
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
    h(
      'div',
      { class: 'columns' },
      h('div', {}, h('h4', {}, 'Records'), records),
      neighbours.length > 0 && h('div', {}, h('h4', {}, 'Linked with'), h('ul', { class: 'records' }, ...neighbours)),
    ),
  );
  void showSeeds(records, { node: id, limit: RECORDS, includesRetroactive });
}
