import { button, fill, h } from './elements.ts';
import { changeOf, type LiveChange } from './live-change.ts';
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

/** A page of a list as it was read again. */
export interface LivePage {
  readonly rows: readonly LiveRow[];
  /** Whether no page follows. */
  readonly isLast: boolean;
}

export interface LiveList {
  /** Of the elements of the rows. It may be filled anew, in another order. */
  readonly body: HTMLElement;
  readonly rows: readonly LiveRow[];
  /** What is counted in the line of rows that wait, such as `decision`. */
  readonly noun: string;
  /** Reads the same page again. */
  read(): Promise<LivePage>;
  /** Shows the page anew, instead of this list. */
  renew(): unknown;
  /** A row was taken away. */
  dropped(key: string): void;
  /** What is shown is the page that was read last. */
  settled(): void;
  /** Whether rows may appear that are newer than the page. */
  isNewest(): boolean;
  readonly signal: AbortSignal;
}

/** The line of rows that wait, and what reads the list again, as an event does. */
export interface Live {
  readonly line: HTMLElement;
  again(): void;
}

/** Between two readings. */
const REST = 500;

/**
 * Keeps the rows of a list up to date. What changes is replaced in its place. New rows appear at the top where the reader
 * is there and points at nothing; else they wait behind a line, which is to be put above the list. Rows that are not in
 * the page any more are marked, and go when nothing moves under the reader.
 */
export function liveList(list: LiveList): Live {
  const { body, signal } = list;
  const line = h('div', { class: 'waiting', role: 'status' });
  /** The content of each row by its key, in the order of the page. */
  let shown = new Map(list.rows.map((row) => [row.key, textOf(row)]));
  let waiting: readonly LiveRow[] = [];
  let change: LiveChange = { newer: [], gone: [], behind: [], isApart: false };

  const isBusy = () => body.matches(':hover') || body.contains(document.activeElement) || isAbove(body);
  const drop = (keys: readonly string[]) => {
    for (const key of keys) {
      const row = elementOf(body, key);
      // What is selected stays until it is not.
      if (row?.querySelector(':checked')) continue;
      row?.remove();
      shown.delete(key);
      list.dropped(key);
    }
  };
  const insert = () => {
    if (change.isApart) {
      list.renew();
      return;
    }
    for (const row of waiting.toReversed()) body.prepend(marked(row.element()));
    const isPushed = waiting.length > 0;
    shown = new Map([...waiting.map((row) => [row.key, textOf(row)] as const), ...shown]);
    waiting = [];
    drop(change.gone);
    if (isPushed) drop(change.behind);
    showLine();
    if (shown.size === 0) list.renew();
    else list.settled();
  };
  const showLine = () => {
    const rows = change.isApart ? `the newest ${list.noun}s` : counted(waiting.length, `new ${list.noun}`);
    fill(line, waiting.length > 0 && button(`Show ${rows}`, insert));
  };
  const settle = () => {
    if (!signal.aborted && (waiting.length > 0 || change.gone.length > 0) && !isBusy()) insert();
  };
  const update = ({ rows, isLast }: LivePage) => {
    if (signal.aborted) return;
    for (const row of rows) {
      const [old, text] = [elementOf(body, row.key), textOf(row)];
      if (!old || shown.get(row.key) === text) continue;
      replace(old, row);
      shown.set(row.key, text);
    }
    const keys = rows.map(({ key }) => key);
    const found = changeOf([...shown.keys()], keys, isLast);
    const isNewest = list.isNewest();
    change = { ...found, isApart: found.isApart && isNewest };
    waiting = isNewest ? rows.filter(({ key }) => found.newer.includes(key)) : [];
    for (const key of shown.keys()) markGone(elementOf(body, key), found.gone.includes(key));
    showLine();
    if (waiting.length + change.gone.length === 0) list.settled();
    else settle();
  };

  body.addEventListener('pointerleave', settle, { signal });
  body.addEventListener('focusout', () => setTimeout(settle), { signal });
  addEventListener('scrollend', settle, { signal });
  return { line, again: followDecisions(signal, async () => update(await list.read())) };
}

/** The style sheet dims it. */
const GONE = 'gone';

function markGone(row: HTMLElement | undefined, isGone: boolean): void {
  if (row === undefined || row.classList.contains(GONE) === isGone) return;
  row.classList.toggle(GONE, isGone);
  if (isGone) row.querySelector('th')?.append(h('span', { class: 'hidden' }, ', not in this list any more'));
  else row.querySelector('th > .hidden:last-child')?.remove();
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

/**
 * Runs after events of decisions, once at a time and with rests, also after events that may have been missed. Returns
 * what runs it without an event.
 */
export function followDecisions(signal: AbortSignal, read: () => Promise<unknown>): () => void {
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
  return () => void run();
}

function isOfDecision({ type }: LiveEvent): boolean {
  return type.startsWith('decision.');
}
