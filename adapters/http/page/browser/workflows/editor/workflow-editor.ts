import type { StepPort } from '../graph/step-ports.ts';
import { isSameJson } from '../same-json.ts';
import { type Draft, draftOf, type Library, type WireWorkflow } from '../wire-workflows.ts';
import { begun, type EditHistory, edited, redone, undone } from './edit-history.ts';

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
