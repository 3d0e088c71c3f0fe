import { button, h } from '../../kit/elements.ts';
import { counted } from '../../kit/value-texts.ts';
import { rowsOf } from '../graph/graph-rows.ts';
import { refill } from '../refill.ts';
import type { Draft } from '../wire-workflows.ts';
import { stepOf } from './draft-edits.ts';
import { failuresOf } from './readiness-panel.ts';
import type { WorkflowEditor } from './workflow-editor.ts';

/** The steps in the order of the drawing, each with what it reads from; the chosen one is shown below. */
export function stepList(editor: WorkflowEditor, signal: AbortSignal): HTMLElement {
  const list = h('ol', { class: 'steps' });
  const none = h('li', { class: 'soft' }, 'No step yet. Most workflows begin with an input and end with a decision.');
  const show = () => {
    const items = inOrder(editor.draft).map((at) => stepItem(editor, at));
    refill(list, ...(items.length > 0 ? items : [none]));
  };
  editor.on((event) => event !== 'connecting' && show(), signal);
  show();
  return list;
}

/** The places of the steps, from row to row of the drawing. */
export function inOrder({ nodes, edges }: Draft): readonly number[] {
  const placeOf = (end: string) => nodes.findIndex(({ id }) => id === stepOf(end));
  const links = edges
    .map(({ from, to }) => ({ from: placeOf(from), to: placeOf(to) }))
    .filter(({ from, to }) => from >= 0 && to >= 0);
  const rows = rowsOf(nodes.length, links);
  return [...nodes.keys()].toSorted((a, b) => (rows[a] ?? 0) - (rows[b] ?? 0) || a - b);
}

function stepItem(editor: WorkflowEditor, at: number): HTMLElement {
  const { draft, library, chosen } = editor;
  const { id = '', node_id = '' } = draft.nodes[at] ?? {};
  const sources = [...new Set(draft.edges.flatMap(({ from, to }) => (stepOf(to) === id ? [stepOf(from)] : [])))];
  const faults = failuresOf(editor, id).length;
  const choose = () => {
    editor.choose(at);
    document.querySelector<HTMLElement>('#step-title')?.focus();
  };
  return h(
    'li',
    {},
    button(id, choose, { class: 'link', id: `step-${at}`, 'aria-current': at === chosen && 'true' }),
    h('span', { class: 'about' }, library.get(node_id)?.title ?? node_id),
    sources.length > 0 && h('span', { class: 'about' }, `reads ${sources.join(', ')}`),
    faults > 0 && h('span', { class: 'fault-count' }, `${counted(faults, 'fault')}`),
  );
}
