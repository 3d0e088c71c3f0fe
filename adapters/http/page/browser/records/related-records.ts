import { ask } from '../kit/ask.ts';
import { fill, h } from '../kit/elements.ts';
import { refusalWords } from '../kit/refused-request.ts';
import { horizon, instant, instrument, plain } from '../kit/value-texts.ts';
import type { WireIdentity } from '../kit/wire.ts';

interface Graph {
  readonly root: string;
  readonly nodes: readonly WireIdentity[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly relation: string }[];
}

/** Lists the records related to this one as links, each with its relation. Shows nothing if there is none. */
export async function relatedRecords(box: HTMLElement, recordId: string): Promise<void> {
  try {
    const graph = await ask<Graph>(`/api/v1/public/decisions/${recordId}/graph?depth=1&limit=20`);
    const others = graph.nodes.filter((node) => node.record_id !== recordId);
    if (others.length > 0)
      list(box, h('ul', { class: 'records' }, ...others.map((record) => relatedItem(graph, record))));
  } catch (error) {
    list(box, h('p', { class: 'soft' }, `Related records are not available now. ${refusalWords(error)}`));
  }
}

function list(box: HTMLElement, content: HTMLElement): void {
  fill(box, h('section', { class: 'facts' }, h('h2', {}, 'Related records'), content));
}

function relatedItem(graph: Graph, record: WireIdentity): HTMLElement {
  return h(
    'li',
    {},
    recordLink(record),
    h('span', { class: 'about' }, relationWords(graph, graph.root, record.record_id)),
  );
}

/** A link to a record, with the facts that distinguish it from others. */
export function recordLink(record: WireIdentity): HTMLElement {
  return h(
    'a',
    { href: `#/records/${record.record_id}` },
    h('b', {}, instrument(record)),
    ` ${record.direction} over ${horizon(record)}`,
    h('span', { class: 'about' }, `on data up to ${instant(record.data_cutoff)}`),
  );
}

function relationWords({ edges }: Graph, recordId: string, other: string): string {
  const words = edges.flatMap(({ from, to, relation }) => {
    if (from === recordId && to === other) return [plain(relation)];
    if (from !== other || to !== recordId) return [];
    return [UNDIRECTED.includes(relation) ? plain(relation) : `${plain(relation)} (from there)`];
  });
  return [...new Set(words)].join(', ');
}

/** Relations without a direction. */
const UNDIRECTED = ['same_cohort', 'same_workflow'];
