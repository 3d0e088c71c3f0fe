import { ask } from '../kit/ask.ts';
import { fill, h } from '../kit/elements.ts';
import { refusedState } from '../kit/refused-state.ts';
import { horizon, instant, instrument, percent, plain } from '../kit/value-texts.ts';
import type { Detail, WireIdentity } from '../kit/wire.ts';

/** A node of a graph: a public handle, or an own decision that may have no outcome yet. */
export interface RelatedNode extends WireIdentity {
  readonly result_bucket: string | null;
  readonly lifecycle_state?: string;
  readonly path: { readonly raw_return: number } | null;
}

export interface Graph {
  readonly root: string;
  readonly nodes: readonly RelatedNode[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly relation: string }[];
}

/** Lists the records related to this one as links, each with its relation and outcome. Shows nothing if there is none. */
export async function relatedRecords(
  box: HTMLElement,
  { view, record_id }: Pick<Detail, 'view' | 'record_id'>,
  signal: AbortSignal,
  attempt = 0,
): Promise<void> {
  // Owners also see their own decisions that are not public.
  const area = view === 'owner' ? 'agent' : 'public';
  try {
    const graph = await ask<Graph>(`/api/v1/${area}/decisions/${record_id}/graph?depth=1&limit=20`, { signal });
    const others = graph.nodes.filter((node) => node.record_id !== record_id);
    if (others.length > 0)
      list(box, h('ul', { class: 'records' }, ...others.map((record) => relatedItem(graph, record))));
  } catch (error) {
    if (signal.aborted) return;
    const retry = (next: number) => relatedRecords(box, { view, record_id }, signal, next);
    list(box, refusedState(error, 'Could not read the related records.', { retry, attempt, signal }));
  }
}

function list(box: HTMLElement, content: HTMLElement): void {
  fill(box, h('section', { class: 'facts' }, h('h2', {}, 'Related decisions'), content));
}

function relatedItem(graph: Graph, record: RelatedNode): HTMLElement {
  const words = [relationWords(graph, graph.root, record.record_id), outcomeWords(record)].filter(Boolean).join('; ');
  return h('li', {}, recordLink(record), h('span', { class: 'about' }, words));
}

/** The bucket and the return of a related decision, or its state while it has none. */
function outcomeWords({ result_bucket, path, lifecycle_state }: RelatedNode): string {
  if (result_bucket === null) return lifecycle_state === undefined ? '' : plain(lifecycle_state);
  return path === null ? plain(result_bucket) : `${plain(result_bucket)}, ${percent(path.raw_return)}`;
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
