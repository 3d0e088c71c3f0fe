import { ask } from '../../kit/ask.ts';
import { fill, h } from '../../kit/elements.ts';
import { showReading } from '../../kit/states.ts';
import type { Visit } from '../../kit/visit.ts';
import { workflowPath } from '../editor/save-draft.ts';
import { pageLinks, withDefaults } from '../filters.ts';
import type { NumberedList, WirePublication, WireUsage, WireWorkflow } from '../wire-workflows.ts';
import { comparison } from './comparison.ts';
import { publicationTable } from './publication-table.ts';
import { usageFacts } from './usage-facts.ts';

const TITLE = 'Versions and use';

/** What was published of a workflow, what differs between two versions, and how they were used. */
export async function showVersions(view: HTMLElement, { query, signal, rename }: Visit, id: string): Promise<string> {
  const path = workflowPath(id);
  const address = `#/workflows/${id}/versions`;
  const [usage, published] = [h('div'), h('div', { class: 'workflow-tables' })];
  const name = h('a', { href: `#/workflows/${id}` }, 'draft');
  fill(
    view,
    h('p', { class: 'crumbs' }, h('a', { href: '#/workflows' }, 'Workflows'), ' / ', name, ' / versions'),
    h('h1', { tabindex: -1 }, TITLE),
    h('section', { 'aria-labelledby': 'use-title' }, h('h2', { id: 'use-title' }, 'Use'), usage),
    h('section', { 'aria-labelledby': 'published-title' }, h('h2', { id: 'published-title' }, 'Published'), published),
  );
  const used = showReading<WireUsage>(usage, signal, {
    what: 'the use of the workflow',
    read: () => ask(`${path}/usage`, { signal }),
    show: usageFacts,
  });
  const page = new URLSearchParams({ page: query.get('page') ?? '' });
  let title = TITLE;
  await showReading(published, signal, {
    what: 'its publications',
    async read() {
      const [draft, publications] = await Promise.all([
        ask<WireWorkflow>(path, { signal }),
        ask<NumberedList<WirePublication>>(`${path}/snapshots?${withDefaults(page)}`, { signal }),
      ]);
      return { draft, publications };
    },
    show({ draft, publications }) {
      title = `${TITLE}: ${draft.name}`;
      rename(title);
      fill(name, draft.name);
      if (publications.items.length === 0) return [];
      return [
        publicationTable(publications),
        pageLinks(address, query, publications),
        comparison(draft, publications.items, signal),
      ];
    },
    none: 'Nothing of this workflow is published yet. Its editor says what is missing for that.',
  });
  await used;
  return title;
}
