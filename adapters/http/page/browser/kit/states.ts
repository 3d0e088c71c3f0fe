import { type Child, fill, h } from './elements.ts';
import { RefusedRequest } from './refused-request.ts';
import { refusedState } from './refused-state.ts';

/** What a part of a view reads, and how it shows what was read. */
export interface Reading<T> {
  /** What is read, in words that fit into a sentence: `your keys`. */
  readonly what: string;
  read(signal: AbortSignal): Promise<T>;
  /** The content; an empty list of children is shown as `none`. */
  show(value: T): readonly Child[];
  /** What is shown if there is nothing: why, and what to do. */
  readonly none?: Child;
}

/** The newest reading of each part: an earlier one that is late, or would be tried again, shows nothing. */
const newest = new WeakMap<HTMLElement, object>();

/** What each part shows, as it was read; nothing where it shows a refusal. */
const replies = new WeakMap<HTMLElement, { readonly value: unknown }>();

/**
 * Reads and shows a part of a view in the states that every view has: loading, content, nothing there, refused, refused
 * for a moment, session ended, offline. Returns what was read; null if it was refused or the view was left. What follows
 * from the content belongs in `show`, which runs after a later attempt too.
 * @param attempt how often the page has read it by itself
 */
export async function showReading<T>(
  box: HTMLElement,
  signal: AbortSignal,
  reading: Reading<T>,
  attempt = 0,
): Promise<T | null> {
  newest.set(box, reading);
  const isOver = () => signal.aborted || newest.get(box) !== reading;
  box.setAttribute('aria-busy', 'true');
  if (box.childElementCount === 0) fill(box, h('p', { class: 'loading soft' }, `Reading ${reading.what}\u2026`));
  try {
    const value = await reading.read(signal);
    if (isOver()) return null;
    replace(box, contentOf(reading, value));
    replies.set(box, { value });
    return value;
  } catch (error) {
    if (isOver()) return null;
    replies.delete(box);
    const retry = (next: number) => isOver() || showReading(box, signal, reading, next);
    replace(box, [refusedState(error, `Could not read ${reading.what}.`, { retry, attempt, signal })]);
    return null;
  } finally {
    if (newest.get(box) === reading) box.removeAttribute('aria-busy');
  }
}

/**
 * Reads a part again after an event. Where it shows content, this stays if the reply is the same, or a refusal; what is
 * open, and what has the focus, is so in other content, too. Else it is read as for the first time.
 */
export async function showNewest<T>(box: HTMLElement, signal: AbortSignal, reading: Reading<T>): Promise<void> {
  if (!replies.has(box)) {
    await showReading(box, signal, reading);
    return;
  }
  newest.set(box, reading);
  const isOver = () => signal.aborted || newest.get(box) !== reading;
  try {
    const value = await reading.read(signal);
    if (isOver() || JSON.stringify(value) === JSON.stringify(replies.get(box)?.value)) return;
    redraw(box, contentOf(reading, value));
    replies.set(box, { value });
  } catch (error) {
    // What was read stays; the next event reads it again.
    if (!isOver() && !(error instanceof RefusedRequest)) reportError(error);
  } finally {
    if (newest.get(box) === reading) box.removeAttribute('aria-busy');
  }
}

function contentOf<T>({ show, none }: Reading<T>, value: T): readonly Child[] {
  const shown = show(value);
  return shown.length === 0 && none !== undefined ? [nothing(none)] : shown;
}

/** What had the focus, such as the button that tried again, is gone: the part has it then. */
function replace(box: HTMLElement, content: readonly Child[]): void {
  const hadFocus = box.contains(document.activeElement);
  fill(box, ...content);
  if (hadFocus) focusPart(box);
}

function focusPart(box: HTMLElement): void {
  box.setAttribute('tabindex', '-1');
  box.focus({ preventScroll: true });
}

/** Details that are open stay open, and the focus goes to what is like the element that had it. */
function redraw(box: HTMLElement, content: readonly Child[]): void {
  const { activeElement } = document;
  const focused = activeElement && box.contains(activeElement) ? activeElement : null;
  const opened = [...box.querySelectorAll('details[open] > summary')];
  fill(box, ...content);
  for (const summary of opened) likeIn(box, summary)?.closest('details')?.setAttribute('open', '');
  if (focused === null) return;
  const like = focused === box ? box : likeIn(box, focused);
  like?.focus({ preventScroll: true });
  if (document.activeElement !== like || like === undefined) focusPart(box);
}

/** The element itself if it is still there; else one that says the same. */
function likeIn(box: HTMLElement, sought: Element): HTMLElement | undefined {
  if (sought instanceof HTMLElement && box.contains(sought)) return sought;
  return [...box.querySelectorAll<HTMLElement>(sought.tagName)].find((each) =>
    sought.id === ''
      ? each.textContent === sought.textContent && each.ariaLabel === sought.ariaLabel
      : each.id === sought.id,
  );
}

function nothing(words: Child): HTMLElement {
  return h('div', { class: 'nothing' }, typeof words === 'string' ? h('p', {}, words) : words);
}
