import { button, fill, h } from './elements.ts';
import { type LiveEvent, onEvents } from './live-events.ts';
import { counted } from './value-texts.ts';

/** A row of a list that follows events. */
export interface LiveRow {
  readonly key: string;
  /** What is shown: a row whose content is another one is replaced. */
  readonly content: unknown;
  /** A new element, whose `data-key` is the key. */
  element(): HTMLElement;
}

export interface LiveList {
  /** Of the elements of the rows. It may be filled anew, in another order. */
  readonly body: HTMLElement;
  readonly rows: readonly LiveRow[];
  /** What is counted in the line of rows that wait, such as `decision`. */
  readonly noun: string;
  /** Reads the same page again. */
  read(): Promise<readonly LiveRow[]>;
  /** Whether rows may appear that are newer than the page. */
  isNewest(): boolean;
  readonly signal: AbortSignal;
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
  /** The content of each row by its key. */
  const shown = new Map(list.rows.map((row) => [row.key, textOf(row)]));
  let waiting: readonly LiveRow[] = [];

  const isBusy = () => body.matches(':hover') || body.contains(document.activeElement) || isAbove(body);
  const insert = () => {
    for (const row of waiting.toReversed()) {
      body.prepend(marked(row.element()));
      shown.set(row.key, textOf(row));
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
      const [old, text] = [elementOf(body, row.key), textOf(row)];
      if (!old || shown.get(row.key) === text) continue;
      replace(old, row);
      shown.set(row.key, text);
    }
    waiting = list.isNewest() ? newer(rows, shown) : [];
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

function elementOf(body: HTMLElement, key: string): HTMLElement | undefined {
  return [...body.children].find((row): row is HTMLElement => row instanceof HTMLElement && row.dataset.key === key);
}

/** What has the focus stays, with all of its cell. */
function replace(old: HTMLElement, row: LiveRow): void {
  const element = marked(row.element());
  const focused = [...old.children].findIndex((cell) => cell.contains(document.activeElement));
  if (focused === -1) {
    old.replaceWith(element);
    return;
  }
  for (const [index, cell] of [...old.children].entries()) {
    const next = element.children[0];
    if (index !== focused && next) cell.replaceWith(next);
    else next?.remove();
  }
  marked(old);
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
