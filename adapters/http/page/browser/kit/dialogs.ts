import { button, type Child, h } from './elements.ts';

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
