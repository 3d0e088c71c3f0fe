import { button, type Child, h, refill } from '../../kit/elements.ts';
import { counted } from '../../kit/value-texts.ts';
import { rowsOf } from '../graph/graph-layout.ts';
import type { StepPort } from '../graph/step-ports.ts';
import { isSameJson } from '../same-json.ts';
import { type Draft, draftOf, type Library, type ReadinessFailure, type WireWorkflow } from '../wire-workflows.ts';
import { begun, type EditHistory, edited, redone, stepOf, undone } from './draft-edits.ts';

const FEW = 6;

/** What changed: the draft by an edit, `typed` if a field that stays in place made it; the choice; what is stored. */
export type EditorEvent = 'edited' | 'typed' | 'chosen' | 'connecting' | 'saved';

/** A draft that is being edited: the stored version that it began with, and the edits since. */
export class WorkflowEditor {
  readonly library: Library;
  saved: WireWorkflow;
  history: EditHistory<Draft>;
  /** The place of the chosen step. */
  chosen: number | null = null;
  /** The port that is being connected. */
  connecting: StepPort | null = null;
  readonly #listeners = new Set<(event: EditorEvent) => void>();

  constructor(saved: WireWorkflow, library: Library) {
    this.saved = saved;
    this.library = library;
    this.history = begun(draftOf(saved));
  }

  get draft(): Draft {
    return this.history.now;
  }

  get hasChanges(): boolean {
    return !isSameJson(this.draft, draftOf(this.saved));
  }

  on(listener: (event: EditorEvent) => void, signal: AbortSignal): void {
    this.#listeners.add(listener);
    signal.addEventListener('abort', () => this.#listeners.delete(listener));
  }

  edit(draft: Draft, event: 'edited' | 'typed' = 'edited'): void {
    if (isSameJson(draft, this.draft)) return;
    this.history = edited(this.history, draft);
    this.#settle(event);
  }

  undo(): void {
    this.history = undone(this.history);
    this.#settle('edited');
  }

  redo(): void {
    this.history = redone(this.history);
    this.#settle('edited');
  }

  choose(at: number | null): void {
    this.chosen = at;
    this.#emit('chosen');
  }

  connect(port: StepPort | null): void {
    this.connecting = port;
    this.#emit('connecting');
  }

  /** The draft was stored, or read again; with `draft`, edits go on from that one. */
  store(saved: WireWorkflow, draft: Draft = draftOf(saved)): void {
    this.saved = saved;
    if (!isSameJson(draft, this.draft)) this.history = edited(this.history, draft);
    this.#settle('saved');
  }

  /** Places of steps may have changed. */
  #settle(event: EditorEvent): void {
    this.connecting = null;
    if (this.chosen !== null && this.chosen >= this.draft.nodes.length) this.chosen = null;
    this.#emit(event);
  }

  #emit(event: EditorEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

/** What prevents the publication of the stored version, each with a way to its step. */
export function readinessPanel(editor: WorkflowEditor, signal: AbortSignal): HTMLElement {
  const box = h('section', { class: 'readiness', 'aria-label': 'Before it can be published' });
  const show = () => {
    const { ready, failures } = editor.saved.readiness;
    const scope = editor.hasChanges ? ` This is of version ${editor.saved.version}: save to check your changes.` : '';
    if (ready) return refill(box, h('p', { class: 'soft' }, `Nothing is missing for publication.${scope}`));
    refill(
      box,
      h(
        'details',
        { id: 'missing', open: failures.length <= FEW },
        h(
          'summary',
          { id: 'missing-summary' },
          `${counted(failures.length, 'fault')} to mend before it can be published`,
        ),
        scope !== '' && h('p', { class: 'soft' }, scope.trim()),
        h('ul', {}, ...failures.map((failure, i) => failureItem(failure, i, editor))),
      ),
    );
  };
  editor.on((event) => event !== 'connecting' && event !== 'chosen' && show(), signal);
  show();
  return box;
}

function failureItem(failure: ReadinessFailure, index: number, editor: WorkflowEditor): HTMLElement {
  const at = editor.draft.nodes.findIndex(({ id }) => id === failure.node);
  const place = failure.port === null || failure.port === '' ? failure.node : `${failure.node}.${failure.port}`;
  const name: Child =
    failure.node === null
      ? null
      : at < 0
        ? h('b', {}, `${place} `)
        : button(place ?? '', () => editor.choose(at), { class: 'link', id: `missing-${index}` });
  return h('li', {}, name, name && ' ', failure.message);
}

/** The faults of one step, or of one of its ports. */
export function failuresOf(editor: WorkflowEditor, step: string): readonly ReadinessFailure[] {
  return editor.saved.readiness.failures.filter(({ node }) => node === step);
}

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
