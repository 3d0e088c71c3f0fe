import { h, part } from './elements.ts';

const SHOWN_FOR = 8_000;

/** Says that something was done, in a line over the page that screen readers read; it goes away by itself. */
export function announce(words: string): void {
  const line = h('p', {}, words);
  part('#announcements', HTMLElement).replaceChildren(line);
  setTimeout(() => line.remove(), SHOWN_FOR);
}
