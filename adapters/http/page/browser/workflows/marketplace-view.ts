import { ask } from '../kit/ask.ts';
import { fill, h } from '../kit/elements.ts';
import { choiceField, textField, type Visit } from '../kit/forms.ts';
import { filterForm } from '../kit/lists.ts';
import { showReading } from '../kit/states.ts';
import { table } from '../kit/tables.ts';
import { counted, instant } from '../kit/value-texts.ts';
import { fork, loadStyle } from './import-view.ts';
import { aboutLines, pageLinks, withDefaults } from './list-view.ts';
import type { NumberedList, WireOffer } from './wire-workflows.ts';

const TITLE = 'Public workflows';
const ADDRESS = '#/marketplace';

/** Public workflows, each as it was last published for everybody. */
export async function show(view: HTMLElement, { query, signal }: Visit): Promise<string> {
  await loadStyle();
  const box = h('div', { class: 'workflow-tables' });
  fill(
    view,
    h('p', { class: 'crumbs' }, h('a', { href: '#/workflows' }, 'Workflows'), ' / public'),
    h('h1', { tabindex: -1 }, TITLE),
    h('p', {}, 'What owners have published for everybody, you among them. A copy is a draft of your own.'),
    filterForm(ADDRESS, query, [
      textField({ name: 'search', label: 'Part of the name' }, { type: 'search' }),
      textField({ name: 'tag', label: 'Tag' }, { autocomplete: 'off' }),
      choiceField({ name: 'sort', label: 'Sort' }, [
        ['newest', 'published last'],
        ['most_used', 'most decisions'],
      ]),
    ]),
    box,
  );
  await showReading<NumberedList<WireOffer>>(box, signal, {
    what: 'the public workflows',
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
    ],
    actions: ({ id, name }) => [{ label: 'Copy', of: `${name} to your workflows`, run: () => fork(id) }],
  });
}

function nameCell({ hash, name, description, tags }: WireOffer) {
  return [h('a', { href: `#/snapshots/${hash}` }, name), ...aboutLines(description, tags, `${ADDRESS}?tag=`)];
}

function decisionsCell({ decision_count }: WireOffer) {
  return decision_count === null ? h('span', { class: 'soft' }, 'withheld') : decision_count.toLocaleString('en-GB');
}
