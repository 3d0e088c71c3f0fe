import { h } from '../kit/elements.ts';
import { type Field, textOf } from '../kit/forms.ts';
import { goTo } from '../shell/arrival.ts';
import type { NumberedList } from './wire-workflows.ts';

/** The parameters of a list that are set. */
export function withDefaults(query: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...query].filter(([, value]) => value !== ''));
}

/** Fields that filter a list: sending them shows the address with what is set. */
export function filterForm(address: string, fields: readonly Field[]): HTMLElement {
  const form = h(
    'form',
    { class: 'filters', role: 'search' },
    ...fields.map(({ element }) => element),
    h('div', { class: 'buttons' }, h('button', { type: 'submit' }, 'Show'), h('a', { href: address }, 'Clear')),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const set = fields.map((field) => [field.name, textOf(field) ?? ''] as [string, string]);
    const query = withDefaults(new URLSearchParams(set)).toString();
    goTo(query === '' ? address : `${address}?${query}`);
  });
  return form;
}

/** Links to the neighbouring pages of a numbered list; nothing if there is one page. */
export function pageLinks(
  address: string,
  query: URLSearchParams,
  { page, per_page, total }: NumberedList<unknown>,
): HTMLElement | null {
  const last = Math.max(1, Math.ceil(total / per_page));
  if (last === 1 && page === 1) return null;
  const link = (to: number, words: string) => {
    const params = new URLSearchParams(query);
    params.set('page', String(to));
    return to < 1 || to > last ? null : h('a', { href: `${address}?${params}` }, words);
  };
  return h(
    'nav',
    { class: 'pages', 'aria-label': 'Pages of the list' },
    link(page - 1, 'Previous page'),
    h('span', { class: 'soft' }, `Page ${page} of ${last}`),
    link(page + 1, 'Next page'),
  );
}
