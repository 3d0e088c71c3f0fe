import { fill, h } from '../../kit/elements.ts';
import { copyLine } from '../../kit/secrets.ts';

/** Shows new recovery codes once; without any, nothing. */
export function showCodes(once: HTMLElement, codes: readonly string[]): void {
  if (codes.length === 0) {
    fill(once);
    return;
  }
  fill(
    once,
    h(
      'section',
      { class: 'secret', 'aria-label': 'Recovery codes' },
      h('h2', { tabindex: -1 }, 'Recovery codes'),
      h(
        'p',
        {},
        'Each opens one session in place of the app or the passkey. They are shown only once: keep them where those are not.',
      ),
      copyLine(codes.join(' '), 'Copy all'),
    ),
  );
  once.querySelector('h2')?.focus();
}
