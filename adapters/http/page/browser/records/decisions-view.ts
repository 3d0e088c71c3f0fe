import { ask } from '../kit/ask.ts';
import { DIRECTIONS, LIFECYCLE_STATES, RESULT_BUCKETS } from '../kit/domain.ts';
import { fill, h } from '../kit/elements.ts';
import { checkField, choiceField, type Field, form, isChecked, textField, textOf, type Visit } from '../kit/forms.ts';
import type { ListPage } from '../kit/lists.ts';
import { type NamedAgent, readAgentNames } from '../kit/lists.ts';
import { followDecisions, type LiveRow, liveList } from '../kit/live-list.ts';
import { showReading } from '../kit/states.ts';
import { type Column, exportLink, rowOf, table } from '../kit/tables.ts';
import { day, horizon, instant, instrument, percent, plain, signed } from '../kit/value-texts.ts';
import type { OwnRow } from '../kit/wire.ts';
import { goTo } from '../shell/arrival.ts';
import { type Filters, filtersOf, groupedRows, listAddress, listPath, searched } from './decision-query.ts';

const ANY = ['', 'any'] as const;

const TITLE = 'Your decisions';
const ROWS = 50;

/** The decisions of the owner as a table, the newest first: filters, search and page are in the address. */
export async function show(view: HTMLElement, { query, signal, again }: Visit): Promise<string> {
  const filters = filtersOf(query);
  const cursor = query.get('cursor');
  const [search, box] = [h('div', { class: 'search' }), h('div', { class: 'decisions' })];
  fill(view, h('h1', { tabindex: -1 }, TITLE), search, box, exportLinks());
  const agents = readAgentNames(signal);
  const nameIn = (part: HTMLElement) => void agents.then((names) => nameAgents(part, names));
  const read = () =>
    showReading(box, signal, {
      what: 'your decisions',
      read: () => ask<ListPage<OwnRow>>(listPath(filters, cursor, ROWS), { signal }),
      show(page) {
        nameIn(box);
        return page.items.length === 0 ? [] : shown(page, filters, cursor, { signal, nameIn });
      },
      none: noneOf(filters, cursor),
    });
  const reading = read();
  fill(search, filterForm(filters, await agents, again));
  await reading;
  // The first one: the rows of a list follow events by themselves.
  followDecisions(signal, async () => box.querySelector('table') ?? read());
  return TITLE;
}

function nameAgents(box: HTMLElement, names: readonly NamedAgent[]): void {
  for (const cell of box.querySelectorAll<HTMLElement>('[data-agent]')) {
    cell.textContent = names.find(({ agent_id }) => agent_id === cell.dataset.agent)?.name ?? cell.textContent;
  }
}

function shown(
  { items, next_cursor }: ListPage<OwnRow>,
  filters: Filters,
  cursor: string | null,
  { signal, nameIn }: { readonly signal: AbortSignal; nameIn(part: HTMLElement): void },
): readonly Node[] {
  const links = [
    cursor !== null && h('a', { href: listAddress(filters), rel: 'prev' }, 'Newest'),
    next_cursor !== null && h('a', { href: listAddress(filters, next_cursor), rel: 'next' }, 'Older'),
  ];
  const pages = h('nav', { class: 'pages', 'aria-label': 'Pages' }, ...links);
  const all = decisionTable(items, filters);
  const rowsOf = (each: readonly OwnRow[]) => liveRows(each, filters, nameIn);
  const news = liveList({
    body: all.tBodies[0] ?? all,
    rows: rowsOf(items),
    noun: 'decision',
    read: async () => rowsOf((await ask<ListPage<OwnRow>>(listPath(filters, cursor, ROWS), { signal })).items),
    isNewest: cursor === null,
    signal,
  });
  return [news, all, ...(links.some(Boolean) ? [pages] : [])];
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

/** A decision group is one row that opens, but in its own list. */
function groupsOf(items: readonly OwnRow[], { group_id }: Filters): readonly (readonly [OwnRow, ...OwnRow[]])[] {
  return group_id === undefined ? groupedRows(items) : items.map((item) => [item] as const);
}

/** Own decisions as a table; on a phone each is a card. */
function decisionTable(items: readonly OwnRow[], filters: Filters): HTMLTableElement {
  const rows = groupsOf(items, filters);
  return table({ caption: 'Your decisions, the newest first', isCaptionHidden: true, rows, columns: COLUMNS });
}

/** The same rows, for events. */
function liveRows(items: readonly OwnRow[], filters: Filters, nameIn: (part: HTMLElement) => void): readonly LiveRow[] {
  return groupsOf(items, filters).map((group) => {
    const [{ group: of, record_id }] = group;
    const key = filters.group_id === undefined ? (of?.id ?? record_id) : record_id;
    const element = () => {
      const row = rowOf(COLUMNS, group);
      nameIn(row);
      return row;
    };
    return { key, content: group, element };
  });
}

const COLUMNS: readonly Column<readonly [OwnRow, ...OwnRow[]]>[] = [
  {
    title: 'Instrument',
    cell: ([row]) => [
      h('a', { href: `#/records/${row.record_id}` }, instrument(row)),
      h('span', { class: 'about' }, `${row.venue}, ${day(row.submission_time)}`),
    ],
  },
  { title: 'Agent', cell: ([{ agent_id }]) => h('span', { 'data-agent': agent_id }, agent_id) },
  { title: 'Direction', cell: ([{ direction }]) => direction },
  { title: 'Horizon', cell: horizonCell },
  { title: 'State', cell: ([row]) => stateCell(row) },
  { title: 'Return', kind: 'number', cell: ([{ path }]) => (path ? percent(path.raw_return) : '') },
  { title: 'z', kind: 'number', cell: ([{ path }]) => (path && path.z !== null ? signed(path.z) : '') },
  { title: 'Bucket', cell: ([{ result_bucket }]) => (result_bucket ? plain(result_bucket) : '') },
  { title: 'Due', cell: ([row]) => dueCell(row) },
];

/** The horizon that leads, and the others of its group to open. */
function horizonCell(members: readonly OwnRow[]): readonly (Node | string)[] {
  const [first, ...others] = members;
  if (!first) return [];
  const { group } = first;
  if (!group || others.length === 0) return [horizon(first), ...(group ? [placeOf(group)] : [])];
  const item = (row: OwnRow) => {
    const result = row.result_bucket ?? row.lifecycle_state;
    return h('li', {}, h('a', { href: `#/records/${row.record_id}` }, horizon(row)), `: ${plain(result)}`);
  };
  const all = h('a', { href: listAddress({ group_id: group.id, include_archived: 'true' }) }, `All ${group.of}`);
  const words = `and ${others.length} more`;
  return [horizon(first), h('details', {}, h('summary', {}, words), h('ul', {}, ...others.map(item)), all)];
}

function placeOf({ of, place }: NonNullable<OwnRow['group']>): HTMLElement {
  return h('span', { class: 'about' }, `${place} of ${of} horizons`);
}

function stateCell({ lifecycle_state, archived_at, submission_origin }: OwnRow): readonly (Node | string)[] {
  const notes = [submission_origin === 'retroactive' ? 'retroactive' : '', archived_at === null ? '' : 'archived'];
  const about = notes.filter(Boolean).join(', ');
  return [plain(lifecycle_state), ...(about === '' ? [] : [h('span', { class: 'about' }, about)])];
}

/** When the outcome is expected; empty where there is one, and where none is expected. */
function dueCell({ result_bucket, expected_evaluation_at }: OwnRow): string {
  return result_bucket !== null || expected_evaluation_at === null ? '' : instant(expected_evaluation_at);
}

/** The filters of the list; sending them changes the address. An id of a decision leads to that decision. */
function filterForm(filters: Filters, agents: readonly NamedAgent[], again: () => void): HTMLElement {
  const search = textField(
    { name: 'symbol', label: 'Symbol, or id of a decision' },
    { type: 'search', value: filters.symbol, autocomplete: 'off', spellcheck: 'false', placeholder: 'MSFT' },
  );
  const chosen = [
    choice(
      'agent_id',
      'Agent',
      agents.map(({ agent_id, name }) => [agent_id, name] as const),
      filters,
    ),
    choice('market', 'Market', ['stock', 'crypto'].map(pair), filters),
    choice('direction', 'Direction', DIRECTIONS.map(pair), filters),
    choice('lifecycle_state', 'State', LIFECYCLE_STATES.map(pair), filters),
    choice('result_bucket', 'Bucket', RESULT_BUCKETS.map(pair), filters),
    textField({ name: 'submitted_since', label: 'Submitted from' }, { type: 'date', value: filters.submitted_since }),
    textField({ name: 'submitted_until', label: 'to' }, { type: 'date', value: filters.submitted_until }),
  ];
  const archived = checkField(
    { name: 'include_archived', label: 'Also archived' },
    filters.include_archived === 'true',
  );
  const isFiltered = Object.keys(filters).length > 0;
  const filtering = form({
    fields: [search, ...chosen, archived],
    action: 'Show',
    extra: [isFiltered && h('a', { href: listAddress({}) }, 'Show all')],
    class: 'filters',
    async send() {
      const found = searched(textOf(search) ?? '');
      if ('record' in found) return goTo(`#/records/${found.record}`);
      const kept = Object.fromEntries(chosen.flatMap((field) => (textOf(field) ? [[field.name, textOf(field)]] : [])));
      const symbol = found.symbol === '' ? {} : { symbol: found.symbol };
      const address = listAddress({ ...symbol, ...kept, ...(isChecked(archived) ? { include_archived: 'true' } : {}) });
      if (address === location.hash) again();
      else goTo(address);
    },
  });
  // On a phone the filters would fill the first screen.
  const isOpen = isFiltered || matchMedia('(min-width: 48.01rem)').matches;
  return h('details', { class: 'filtering', open: isOpen }, h('summary', {}, 'Search and filter'), filtering);
}

function choice(
  name: keyof Filters,
  label: string,
  options: readonly (readonly [string, string])[],
  filters: Filters,
): Field {
  const value = filters[name];
  // An address may name what is not among the options, such as an agent whose name could not be read.
  const unknown = value !== undefined && !options.some(([each]) => each === value) ? [[value, value] as const] : [];
  return choiceField({ name, label }, [ANY, ...options, ...unknown], value);
}

function pair(term: string): readonly [string, string] {
  return [term, plain(term)];
}
