import { type NamedAgent, readAgentNames } from '../kit/agent-names.ts';
import { ask } from '../kit/ask.ts';
import { fill, h } from '../kit/elements.ts';
import { exportLink } from '../kit/export-link.ts';
import { showReading } from '../kit/states.ts';
import type { WirePage } from '../kit/tables.ts';
import type { Visit } from '../kit/visit.ts';
import type { OwnRow } from '../kit/wire.ts';
import { filterForm } from './decision-filters.ts';
import { type Filters, filtersOf, listAddress, listPath } from './decision-query.ts';
import { decisionTable } from './decision-table.ts';

const TITLE = 'Your decisions';
const ROWS = 50;

/** The decisions of the owner as a table, the newest first: filters, search and page are in the address. */
export async function show(view: HTMLElement, { query, signal, again }: Visit): Promise<string> {
  const filters = filtersOf(query);
  const cursor = query.get('cursor');
  const [search, box] = [h('div', { class: 'search' }), h('div', { class: 'decisions' })];
  fill(view, h('h1', { tabindex: -1 }, TITLE), search, box, exportLinks());
  const agents = readAgentNames(signal);
  const read = showReading(box, signal, {
    what: 'your decisions',
    read: () => ask<WirePage<OwnRow>>(listPath(filters, cursor, ROWS), { signal }),
    show(page) {
      void agents.then((names) => nameAgents(box, names));
      return page.items.length === 0 ? [] : shown(page, filters, cursor);
    },
    none: noneOf(filters, cursor),
  });
  fill(search, filterForm(filters, await agents, again));
  await read;
  return TITLE;
}

function nameAgents(box: HTMLElement, names: readonly NamedAgent[]): void {
  for (const cell of box.querySelectorAll<HTMLElement>('[data-agent]')) {
    cell.textContent = names.find(({ agent_id }) => agent_id === cell.dataset.agent)?.name ?? cell.textContent;
  }
}

function shown({ items, next_cursor }: WirePage<OwnRow>, filters: Filters, cursor: string | null): readonly Node[] {
  const links = [
    cursor !== null && h('a', { href: listAddress(filters), rel: 'prev' }, 'Newest'),
    next_cursor !== null && h('a', { href: listAddress(filters, next_cursor), rel: 'next' }, 'Older'),
  ];
  const pages = h('nav', { class: 'pages', 'aria-label': 'Pages' }, ...links);
  return [decisionTable(items), ...(links.some(Boolean) ? [pages] : [])];
}

function noneOf(filters: Filters, cursor: string | null): HTMLElement {
  const isFiltered = Object.keys(filters).length > 0 || cursor !== null;
  return isFiltered
    ? h('p', {}, 'No decision matches. ', h('a', { href: listAddress({}) }, 'Show all'), '.')
    : h(
        'p',
        {},
        'Your agents have not submitted a decision yet. ',
        h('a', { href: '/llms.txt' }, 'The guide for agents'),
        ' shows how to submit a first one.',
      );
}

function exportLinks(): HTMLElement {
  const link = (format: string, words: string) =>
    exportLink(`/api/v1/owner/export?format=${format}`, { download: `stancebook-export.${format}` }, words);
  return h(
    'p',
    { class: 'soft' },
    'All your data, every decision with its outcome, bars and receipts: ',
    link('jsonl', 'JSON lines'),
    ', ',
    link('zip', 'zip'),
    '.',
  );
}
