import { type Child, fill, h } from './elements.ts';
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
    const shown = reading.show(value);
    replace(box, shown.length === 0 && reading.none !== undefined ? [nothing(reading.none)] : shown);
    return value;
  } catch (error) {
    if (isOver()) return null;
    const retry = (next: number) => isOver() || showReading(box, signal, reading, next);
    replace(box, [refusedState(error, `Could not read ${reading.what}.`, { retry, attempt, signal })]);
    return null;
  } finally {
    if (newest.get(box) === reading) box.removeAttribute('aria-busy');
  }
}

/** What had the focus, such as the button that tried again, is gone: the part has it then. */
function replace(box: HTMLElement, content: readonly Child[]): void {
  const hadFocus = box.contains(document.activeElement);
  fill(box, ...content);
  if (!hadFocus) return;
  box.setAttribute('tabindex', '-1');
  box.focus({ preventScroll: true });
}

function nothing(words: Child): HTMLElement {
  return h('div', { class: 'nothing' }, typeof words === 'string' ? h('p', {}, words) : words);
}
