import { announce } from './dialogs.ts';
import { button, type Child, h } from './elements.ts';

interface Secret {
  readonly title: string;
  readonly value: string;
  /** What it is for, and that it is shown only once. */
  readonly words: Child;
}

/** Shows a secret that the service reveals once, with a button that copies it. */
export function secretPanel({ title, value, words }: Secret): HTMLElement {
  return h(
    'section',
    { class: 'secret', 'aria-label': title },
    h('h2', { tabindex: -1 }, title),
    h('p', {}, words),
    copyLine(value),
  );
}

/** A text in one line with a button that copies it. */
export function copyLine(value: string, name = 'Copy'): HTMLElement {
  const code = h('code', { tabindex: 0 }, value);
  return h(
    'div',
    { class: 'copy' },
    code,
    button(name, () => copy(value, code)),
  );
}

/** Where the browser gives no access to the clipboard, the text is selected, to be copied by the reader. */
async function copy(value: string, code: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(value);
    announce('Copied.');
  } catch {
    getSelection()?.selectAllChildren(code);
    announce('Selected: copy it with the keyboard.');
  }
}
