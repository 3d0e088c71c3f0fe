import { h } from '../kit/elements.ts';

const PATH = '/api/v1/owner/export';

/** The two forms in which owners download everything of theirs. @param path as the service names it */
export function exportLinks(path = PATH): HTMLElement {
  return h(
    'p',
    { class: 'buttons' },
    h('a', { class: 'button', href: `${path}?format=zip`, download: true }, 'Download as files (zip)'),
    h('a', { class: 'button', href: `${path}?format=jsonl`, download: true }, 'Download as JSON lines'),
  );
}
