import { button, fill, h } from './elements.ts';
import { type LiveEvent, onEvents } from './live-events.ts';
import { counted } from './value-texts.ts';

/** A row of a list that follows events. */
export interface LiveRow {
  readonly key: string;
  /** What is shown: a row whose content is another one is replaced. */
  readonly content: unknown;
  element(): HTMLElement;
}

export interface LiveList {
  /** Of the rows, which have the elements of `rows` in their order. */
  readonly body: HTMLElement;
  readonly rows: readonly LiveRow[];
  /** What is counted in the line of rows that wait, such as `decision`. */
  readonly noun: string;
  /** Reads the same page again. */
  read(): Promise<readonly LiveRow[]>;
  /** Whether rows may appear that are newer than the page. */
  readonly isNewest: boolean;
  readonly signal: AbortSignal;
}

interface ShownRow {
  readonly content: string;
  readonly element: HTMLElement;
}

/** Between two readings. */
const REST = 500;

/**
 * Keeps the rows of a list up to date. What changes is replaced in its place. New rows appear at the top where the reader
 * is there and points at nothing; else they wait behind a line, which is returned, to be put above the list.
 */
export function liveList(list: LiveList): HTMLElement {
  const { body, signal } = list;
  const line = h('div', { class: 'waiting', role: 'status' });
  const shown = new Map<string, ShownRow>();
  let waiting: readonly LiveRow[] = [];
  for (const [index, row] of list.rows.entries()) {
    const element = body.children[index];
    if (element instanceof HTMLElement) shown.set(row.key, { content: textOf(row), element });
  }

  const isBusy = () => body.matches(':hover') || body.contains(document.activeElement) || isAbove(body);
  const insert = () => {
    for (const row of waiting.toReversed()) {
      const element = marked(row.element());
      body.prepend(element);
      shown.set(row.key, { content: textOf(row), element });
    }
    waiting = [];
    showLine();
  };
  const showLine = () => {
    const words = `Show ${counted(waiting.length, `new ${list.noun}`)}`;
    fill(line, waiting.length > 0 && button(words, insert));
  };
  const settle = () => {
    if (waiting.length > 0 && !isBusy()) insert();
  };
  const update = (rows: readonly LiveRow[]) => {
    for (const row of rows) {
      const old = shown.get(row.key);
      if (old && old.content !== textOf(row)) shown.set(row.key, replaced(old.element, row));
    }
    waiting = list.isNewest ? newer(rows, shown) : [];
    showLine();
    settle();
  };

  body.addEventListener('pointerleave', settle, { signal });
  body.addEventListener('focusout', () => setTimeout(settle), { signal });
  addEventListener('scrollend', settle, { signal });
  followDecisions(signal, async () => update(await list.read()));
  return line;
}

/** Those before the first one that is shown: others left another page, and belong where the reader is not. */
function newer(rows: readonly LiveRow[], shown: ReadonlyMap<string, unknown>): readonly LiveRow[] {
  const first = rows.findIndex(({ key }) => shown.has(key));
  return first === -1 ? rows : rows.slice(0, first);
}

function textOf({ content }: LiveRow): string {
  return JSON.stringify(content);
}

/** What has the focus stays, with all of its cell. */
function replaced(old: HTMLElement, row: LiveRow): ShownRow {
  const element = marked(row.element());
  const focused = [...old.children].findIndex((cell) => cell.contains(document.activeElement));
  if (focused === -1) old.replaceWith(element);
  else {
    for (const [index, cell] of [...old.children].entries()) {
      const next = element.children[0];
      if (index !== focused && next) cell.replaceWith(next);
      else next?.remove();
    }
    old.classList.add(MARK);
  }
  return { content: textOf(row), element: focused === -1 ? element : old };
}

/** The style sheet lets it fade. */
const MARK = 'news';

function marked(element: HTMLElement): HTMLElement {
  element.classList.add(MARK);
  return element;
}

/** Whether the top of the list is above the window: a row that is inserted would move what is read. */
function isAbove(body: HTMLElement): boolean {
  return body.getBoundingClientRect().top < 0;
}

/** Runs after events of decisions, once at a time and with rests, also after events that may have been missed. */
export function followDecisions(signal: AbortSignal, read: () => Promise<unknown>): void {
  let isRunning = false;
  let isStale = false;
  const run = async () => {
    isStale = true;
    if (isRunning) return;
    isRunning = true;
    while (isStale && !signal.aborted) {
      isStale = false;
      // What could not be read is read after the next event.
      await read().catch(() => undefined);
      await new Promise((done) => setTimeout(done, REST));
    }
    isRunning = false;
  };
  onEvents(signal, {
    happened: (events) => events.some(isOfDecision) && void run(),
    missed: () => void run(),
  });
}

function isOfDecision({ type }: LiveEvent): boolean {
  return type.startsWith('decision.');
}
