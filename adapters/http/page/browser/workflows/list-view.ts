import { ask } from '../kit/ask.ts';
import { fill, h } from '../kit/elements.ts';
import { choiceField, textField, type Visit } from '../kit/forms.ts';
import { filterForm } from '../kit/lists.ts';
import { showReading } from '../kit/states.ts';
import { table } from '../kit/tables.ts';
import { counted, instant } from '../kit/value-texts.ts';
import type { NumberedList, WireSummary } from './wire-workflows.ts';

const TITLE = 'Workflows';
const ADDRESS = '#/workflows';

const SORTS = [
  ['updated_desc', 'changed last'],
  ['updated_asc', 'changed first'],
  ['name_asc', 'by name'],
  ['created_desc', 'newest'],
] as const;

/** The owner's drafts, as the address filters and sorts them. */
export async function showList(view: HTMLElement, { query, signal }: Visit): Promise<string> {
  const box = h('div', { class: 'workflow-tables' });
  fill(
    view,
    h('h1', { tabindex: -1 }, TITLE),
    h('p', {}, 'How your agents come to a decision: steps, what each passes on, and one submission at the end.'),
    h(
      'p',
      { class: 'buttons' },
      h('a', { class: 'button primary', href: `${ADDRESS}/new` }, 'New workflow'),
      h('a', { class: 'button', href: `${ADDRESS}/import` }, 'Import YAML'),
      h('a', { class: 'button', href: '#/marketplace' }, 'Public workflows'),
    ),
    filterForm(ADDRESS, query, [
      textField({ name: 'search', label: 'Part of the name' }, { type: 'search' }),
      textField({ name: 'tag', label: 'Tag' }, { autocomplete: 'off' }),
      choiceField({ name: 'visibility', label: 'Visibility' }, [
        ['', 'any'],
        ['private', 'private'],
        ['public', 'public'],
      ]),
      choiceField({ name: 'sort', label: 'Sort' }, SORTS),
    ]),
    box,
  );
  await showReading<NumberedList<WireSummary>>(box, signal, {
    what: 'your workflows',
    read: () => ask(`/api/v1/owner/workflows?${withDefaults(query)}`, { signal }),
    show: (page) => (page.items.length === 0 ? [] : [listOf(page), pageLinks(ADDRESS, query, page)]),
    none:
      withDefaults(query).size === 0
        ? 'You have no workflow yet. Start one, import a file, or copy a public one.'
        : 'No workflow of yours is like that. Show all by clearing the fields.',
  });
  return TITLE;
}

function listOf({ items, total }: NumberedList<WireSummary>): HTMLElement {
  return table<WireSummary>({
    caption: counted(total, 'workflow'),
    rows: items,
    columns: [
      { title: 'Name', cell: nameCell },
      { title: 'Visibility', cell: ({ visibility }) => visibility },
      { title: 'Steps', kind: 'number', cell: ({ node_count }) => String(node_count) },
      { title: 'Version', kind: 'number', cell: ({ version }) => String(version) },
      { title: 'Published', cell: publishedCell },
      { title: 'Changed', cell: ({ updated_at }) => instant(updated_at) },
    ],
  });
}

function nameCell({ id, name, description, tags }: WireSummary) {
  return [h('a', { href: `${ADDRESS}/${id}` }, name), ...aboutLines(description, tags, `${ADDRESS}?tag=`)];
}

function publishedCell({ id, published_hash }: WireSummary) {
  return published_hash === null ? 'not yet' : h('a', { href: `${ADDRESS}/${id}/versions` }, 'versions');
}

/** The parameters of a list that are set. */
export function withDefaults(query: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...query].filter(([, value]) => value !== ''));
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

/** The description and the tags of a workflow in a list; each tag lists those that have it. */
export function aboutLines(description: string, tags: readonly string[], tagAddress: string): readonly HTMLElement[] {
  return [
    ...(description === '' ? [] : [h('span', { class: 'about clamped' }, description)]),
    ...(tags.length === 0
      ? []
      : [
          h(
            'span',
            { class: 'tags' },
            ...[...new Set(tags)].map((tag) => h('a', { href: `${tagAddress}${encodeURIComponent(tag)}` }, tag)),
          ),
        ]),
  ];
}
