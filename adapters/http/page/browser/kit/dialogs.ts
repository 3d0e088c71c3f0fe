import { button, type Child, h, part } from './elements.ts';
import { areaField, type FormContent, form } from './forms.ts';
import { RefusedRequest, refusalWords } from './refused-request.ts';

const SHOWN_FOR = 8_000;

/**
 * Opens a dialog over the page; the rest of the page cannot be reached until it closes. `content` gets a function that
 * closes it with a result; Escape closes it with null. The focus returns to where it was.
 */
export function openDialog<Result>(
  title: string,
  content: (close: (result: Result | null) => void) => readonly Child[],
): Promise<Result | null> {
  return new Promise((resolve) => {
    let result: Result | null = null;
    const dialog = h('dialog', { 'aria-labelledby': 'dialog-title' });
    const close = (outcome: Result | null) => {
      result = outcome;
      dialog.close();
    };
    dialog.append(h('h2', { id: 'dialog-title', tabindex: -1 }, title));
    dialog.append(...content(close).filter((child) => child !== null && child !== undefined && child !== false));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(result);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

interface Question {
  readonly title: string;
  /** What happens, and whether it can be undone. */
  readonly words: readonly Child[];
  /** The button that does it, as a verb: `Revoke the key`. */
  readonly action: string;
}

/** Asks before something that cannot be undone. */
export async function isConfirmed({ title, words, action }: Question): Promise<boolean> {
  const answer = await openDialog<true>(title, (close) => [
    ...words.map((each) => (typeof each === 'string' ? h('p', {}, each) : each)),
    h(
      'div',
      { class: 'buttons' },
      button(action, () => close(true), { class: 'danger' }),
      button('Cancel', () => close(null)),
    ),
  ]);
  return answer === true;
}

interface FormDialog extends Omit<FormContent, 'extra' | 'class'> {
  readonly title: string;
  /** What happens. */
  readonly words?: string;
  /** What is said afterwards. */
  readonly done: string;
}

/** A form in a dialog, which can be cancelled. Returns whether it was sent. */
export async function formDialog({ title, words, done, send, ...content }: FormDialog): Promise<boolean> {
  const isDone = await openDialog<true>(title, (close) => [
    words ? h('p', {}, words) : null,
    form({
      ...content,
      extra: [button('Cancel', () => close(null))],
      async send() {
        await send();
        announce(done);
        close(true);
      },
    }),
  ]);
  return isDone === true;
}

interface Reasoned extends Omit<FormDialog, 'fields' | 'send'> {
  /** Who sees the reason. */
  readonly hint: string;
  send(reason: string): Promise<unknown>;
}

/** Asks for a reason, and does it. Returns whether it was done. */
export function reasonDialog({ hint, send, ...dialog }: Reasoned): Promise<boolean> {
  const reason = areaField({ name: 'reason', label: 'Reason', hint }, { required: true, autofocus: true });
  return formDialog({ ...dialog, fields: [reason], send: () => send(reason.control.value) });
}

/**
 * Runs what a button does, after a question where there is one, and says that it is done. A refusal is shown in a
 * dialog, except that of a login that the reader did not want to repeat. Returns whether it was done.
 * @param failed the title of the refusal
 */
export async function attempt(
  failed: string | (() => string),
  done: string,
  action: () => Promise<unknown>,
  question?: Question,
): Promise<boolean> {
  if (question && !(await isConfirmed(question))) return false;
  try {
    await action();
    announce(done);
    return true;
  } catch (error) {
    if (!(error instanceof RefusedRequest)) reportError(error);
    if (!(error instanceof RefusedRequest && error.code === 'REAUTHENTICATION_REQUIRED')) {
      await openDialog<true>(typeof failed === 'string' ? failed : failed(), (close) => [
        h('p', { role: 'alert' }, refusalWords(error)),
        h(
          'div',
          { class: 'buttons' },
          button('Close', () => close(null), { autofocus: true }),
        ),
      ]);
    }
    return false;
  }
}

/** After a change the part of the view is read anew; the button that did it is gone, so the part gets the focus. */
export async function renewed(part: HTMLElement, show: () => Promise<unknown>): Promise<void> {
  await show();
  part.setAttribute('tabindex', '-1');
  part.focus({ preventScroll: true });
}

/** Says that something was done, in a line over the page that screen readers read; it goes away by itself. */
export function announce(words: string): void {
  const line = h('p', {}, words);
  part('#announcements', HTMLElement).replaceChildren(line);
  setTimeout(() => line.remove(), SHOWN_FOR);
}
