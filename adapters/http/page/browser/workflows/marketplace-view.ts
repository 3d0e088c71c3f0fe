import { ask } from '../kit/ask.ts';
import { fill, h } from '../kit/elements.ts';
import { choiceField, textField, type Visit } from '../kit/forms.ts';
import { showReading } from '../kit/states.ts';
import { table } from '../kit/tables.ts';
import { counted, instant } from '../kit/value-texts.ts';
import { forkButton, loadStyle } from './import-view.ts';
import { aboutLines, filterForm, pageLinks, withDefaults } from './list-view.ts';
import type { NumberedList, WireOffer } from './wire-workflows.ts';

const TITLE = 'Workflows of others';
const ADDRESS = '#/marketplace';

/** Public workflows, each as it was last published for everybody. */
export async function show(view: HTMLElement, { query, signal }: Visit): Promise<string> {
  await loadStyle();
  const box = h('div', { class: 'workflow-tables' });
  const value = (name: string) => query.get(name) ?? '';
  fill(
    view,
    h('p', { class: 'crumbs' }, h('a', { href: '#/workflows' }, 'Workflows'), ' / of others'),
    h('h1', { tabindex: -1 }, TITLE),
    h('p', {}, 'Workflows that owners have published for everybody. A copy is a draft of your own.'),
    filterForm(ADDRESS, [
      textField({ name: 'search', label: 'Part of the name' }, { type: 'search', value: value('search') }),
      textField({ name: 'tag', label: 'Tag' }, { value: value('tag'), autocomplete: 'off' }),
      choiceField(
        { name: 'sort', label: 'Sort' },
        [
          ['newest', 'published last'],
          ['most_used', 'most decisions'],
        ],
        value('sort'),
      ),
    ]),
    box,
  );
  await showReading<NumberedList<WireOffer>>(box, signal, {
    what: 'the workflows of others',
    read: () => ask(`/api/v1/public/workflows?${withDefaults(query)}`, { signal }),
    show: (page) => (page.items.length === 0 ? [] : [listOf(page), pageLinks(ADDRESS, query, page)]),
    none: 'No public workflow is like that.',
  });
  return TITLE;
}

function listOf({ items, total }: NumberedList<WireOffer>): HTMLElement {
  return table<WireOffer>({
    caption: counted(total, 'public workflow'),
    rows: items,
    columns: [
      { title: 'Name', cell: nameCell },
      { title: 'Steps', kind: 'number', cell: ({ node_count }) => String(node_count) },
      { title: 'Decisions', kind: 'number', cell: decisionsCell },
      { title: 'Published', cell: ({ published_at }) => instant(published_at) },
      { title: 'Actions', kind: 'actions', cell: ({ id, name }) => forkButton(id, name) },
    ],
  });
}

function nameCell({ hash, name, description, tags }: WireOffer) {
  return [h('a', { href: `#/snapshots/${hash}` }, name), ...aboutLines(description, tags, `${ADDRESS}?tag=`)];
}

function decisionsCell({ decision_count }: WireOffer) {
  return decision_count === null ? h('span', { class: 'soft' }, 'withheld') : decision_count.toLocaleString('en-GB');
}
