import { button, type Child, fill, h } from './elements.ts';
import { RefusedRequest } from './refused-request.ts';
import { counted } from './value-texts.ts';

/** What a part of a view reads, and how it shows what was read. */
export interface Reading<T> {
  /** What is read, as it stands in a sentence: `your keys`. */
  readonly what: string;
  read(signal: AbortSignal): Promise<T>;
  /** The content; an empty list of children is shown as `none`. */
  show(value: T): readonly Child[];
  /** What is shown if there is nothing: why, and what to do. */
  readonly none?: Child;
}

/**
 * Reads and shows a part of a view in the states that every view has: loading, content, nothing there, refused, rate
 * limited, session ended, offline. Returns what was read; null if it was refused or the view was left.
 */
export async function showReading<T>(box: HTMLElement, signal: AbortSignal, reading: Reading<T>): Promise<T | null> {
  box.setAttribute('aria-busy', 'true');
  if (box.childElementCount === 0) fill(box, h('p', { class: 'loading soft' }, `Reading ${reading.what}\u2026`));
  try {
    const value = await reading.read(signal);
    signal.throwIfAborted();
    const shown = reading.show(value);
    fill(box, ...(shown.length === 0 && reading.none !== undefined ? [nothing(reading.none)] : shown));
    return value;
  } catch (error) {
    if (signal.aborted) return null;
    const retry = () => showReading(box, signal, reading);
    fill(box, refusedState(error, `Could not read ${reading.what}.`, { retry, signal }));
    return null;
  } finally {
    box.removeAttribute('aria-busy');
  }
}

function nothing(words: Child): HTMLElement {
  return h('div', { class: 'nothing' }, typeof words === 'string' ? h('p', {}, words) : words);
}

interface Again {
  retry(): unknown;
  readonly signal: AbortSignal;
}

/** Why something cannot be shown, what the reader can do, and a button that tries again where that can help. */
export function refusedState(error: unknown, words: string, { retry, signal }: Again): HTMLElement {
  if (!(error instanceof RefusedRequest)) reportError(error);
  const { status, code, message, suggestion, wait } =
    error instanceof RefusedRequest
      ? error
      : new RefusedRequest({ status: -1, message: words, suggestion: 'Load the page again.' });
  if (code === 'UNAUTHORIZED') return endedState();
  const again = button('Try again', retry);
  const canHelp = status === 0 || status === 429 || status >= 500;
  if (status === 0) addEventListener('online', retry, { once: true, signal });
  const next = wait === null ? h('p', {}, suggestion) : h('p', {}, countdown(wait, again, signal));
  return h(
    'div',
    { class: 'refused', role: 'alert', 'data-status': status },
    h('p', {}, h('b', {}, status === 0 || status === 429 ? message : `${words} ${message}`)),
    next,
    canHelp && again,
  );
}

function endedState(): HTMLElement {
  // A link to the current address shows the view again, which begins with the login.
  return h(
    'div',
    { class: 'refused', role: 'alert', 'data-status': 401 },
    h('p', {}, h('b', {}, 'Your session has ended.')),
    h('p', {}, h('a', { href: location.hash }, 'Sign in again'), ' to go on here.'),
  );
}

/** Counts down to the time at which a retry may succeed, and enables the button then. */
function countdown(seconds: number, again: HTMLButtonElement, signal: AbortSignal): HTMLElement {
  const until = Date.now() + seconds * 1_000;
  // Without a live region, so that a screen reader does not read each second.
  const text = h('span', { 'aria-live': 'off' });
  again.disabled = true;
  const tick = () => {
    const left = Math.ceil((until - Date.now()) / 1_000);
    text.textContent = left > 0 ? `Try again in ${counted(left, 'second')}.` : 'You can try again now.';
    again.disabled = left > 0;
    if (left <= 0) clearInterval(timer);
  };
  const timer = setInterval(tick, 1_000);
  signal.addEventListener('abort', () => clearInterval(timer));
  tick();
  return text;
}
