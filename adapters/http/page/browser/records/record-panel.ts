import { button, fill, h } from '../kit/elements.ts';
import type { Visit } from '../kit/forms.ts';
import { lettersWork } from '../kit/kept.ts';
import { show as showRecord } from './record-view.ts';

export interface RecordPanel {
  readonly element: HTMLElement;
  /** Shows a decision, or closes the panel for null. */
  show(recordId: string | null): void;
}

/** What the panel needs of the list that it belongs to. */
export interface PanelList {
  /** The decisions in the order of the list. */
  ids(): readonly string[];
  /** The reader goes to another decision, or closes the panel. */
  open(recordId: string | null): void;
}

/** A decision next to the list that it is in. It goes through the list by its buttons, and by keys while it is open. */
export function recordPanel(list: PanelList, visit: Visit): RecordPanel {
  const [place, content] = [h('p', { class: 'about', role: 'status' }), h('div', { class: 'panel-record' })];
  const page = h('a', {}, 'Full page');
  const step = (by: number) => {
    const id = besideOf(list.ids(), shown, by);
    if (id !== undefined) list.open(id);
  };
  const bar = h(
    'div',
    { class: 'panel-bar' },
    button('Previous', () => step(-1), { 'aria-keyshortcuts': 'K ArrowUp' }),
    button('Next', () => step(1), { 'aria-keyshortcuts': 'J ArrowDown' }),
    place,
    page,
    button('Close', () => list.open(null), { 'aria-keyshortcuts': 'Escape' }),
  );
  const element = h('section', { class: 'record-panel', 'aria-label': 'Decision' }, bar, content);
  element.hidden = true;
  let shown: string | null = null;
  // Who opens a shared address begins at the top of the page, like anybody who opens one.
  let isMoved = !visit.query.has('record');
  let reading = new AbortController();
  visit.signal.addEventListener('abort', () => reading.abort());
  walkByKeys(visit.signal, { isOpen: () => shown !== null, step, close: () => list.open(null) });
  const read = async (recordId: string, isMoved: boolean) => {
    reading.abort();
    reading = new AbortController();
    const { signal } = reading;
    const box = h('div');
    fill(content, box);
    element.scrollTop = 0;
    await showRecord(box, { ...visit, rest: recordId, signal, rename: () => undefined });
    const isAtButtons = bar.contains(document.activeElement);
    if (!signal.aborted && isMoved && !isAtButtons) content.querySelector('h1')?.focus({ preventScroll: true });
  };
  return {
    element,
    show(recordId) {
      if (recordId === shown) return;
      shown = recordId;
      element.hidden = recordId === null;
      if (recordId === null) {
        reading.abort();
        fill(content);
        return;
      }
      const ids = list.ids();
      const at = ids.indexOf(recordId);
      fill(place, at < 0 ? '' : `${at + 1} of ${ids.length}`);
      page.href = `#/records/${recordId}`;
      void read(recordId, isMoved);
      isMoved = true;
    },
  };
}

function besideOf(ids: readonly string[], shown: string | null, by: number): string | undefined {
  const at = shown === null ? -1 : ids.indexOf(shown);
  return at < 0 ? ids[0] : ids[at + by];
}

interface Walk {
  isOpen(): boolean;
  step(by: number): void;
  close(): void;
}

const STEPS: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

/** Not while the reader types, or is in a dialog. */
function walkByKeys(signal: AbortSignal, { isOpen, step, close }: Walk): void {
  document.addEventListener(
    'keydown',
    (event) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !isOpen()) return;
      const { target } = event;
      const isTyping = target instanceof Element && target.matches('input:not([type=checkbox]), select, textarea');
      if (isTyping || document.querySelector('dialog[open]')) return;
      const isLetter = event.key.length === 1;
      const by = isLetter && !lettersWork() ? undefined : STEPS[event.key];
      if (by === undefined && event.key !== 'Escape') return;
      event.preventDefault();
      if (by === undefined) close();
      else step(by);
    },
    { signal },
  );
}
