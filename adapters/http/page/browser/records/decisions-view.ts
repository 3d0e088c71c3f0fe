import { ask } from '../kit/ask.ts';
import { renewed } from '../kit/dialogs.ts';
import { type Child, fill, h, refill } from '../kit/elements.ts';
import type { Visit } from '../kit/forms.ts';
import { lettersWork } from '../kit/kept.ts';
import { type ListPage, type NamedAgent, readAgentNames } from '../kit/lists.ts';
import { followDecisions, type LiveRow, liveList } from '../kit/live-list.ts';
import { type Reading, showNewest, showReading } from '../kit/states.ts';
import type { OwnRow } from '../kit/wire.ts';
import { goTo, replaceAddress } from '../shell/arrival.ts';
import { actionBar } from './decision-actions.ts';
import { filterPart } from './decision-filters.ts';
import { type Filters, filtersOf, listAddress, listPath, placeOf, wholeGroups } from './decision-query.ts';
import { type DecisionTable, decisionTable, groupsOf, keyOf } from './decision-table.ts';
import { showTotals } from './decision-totals.ts';
import { recordPanel } from './record-panel.ts';

const TITLE = 'Your decisions';
const ROWS = 50;

/** What a visit of the list shows, and what of it changes without reading the list again. */
interface Shown {
  readonly filters: Filters;
  readonly cursor: string | null;
  sort: string | null;
  record: string | null;
  table: Pick<DecisionTable, 'show' | 'markOpen' | 'ids'> | null;
  /** Reads the rows that are shown again. */
  again(): void;
}

/**
 * The decisions of the owner, one line each, the newest first: filters, page, order and the decision that is open next to
 * the list are in the address.
 */
export async function show(view: HTMLElement, visit: Visit): Promise<string> {
  const { query, signal, again } = visit;
  const { cursor, sort, record } = placeOf(query);
  const shown: Shown = { filters: filtersOf(query), cursor, sort, record, table: null, again() {} };
  const [totals, search, box] = [h('div'), h('div'), h('div', { class: 'decisions' })];
  const showRecord = () => {
    both.toggleAttribute('data-open', shown.record !== null);
    panel.show(shown.record);
    shown.table?.markOpen(shown.record);
  };
  const open = openingOf(shown, showRecord);
  const panel = recordPanel({ ids: () => shown.table?.ids() ?? [], open }, visit);
  const both = h('div', { class: 'list-and-record' }, box, panel.element);
  fill(view, h('h1', { tabindex: -1 }, TITLE), totals, search, both);
  visit.takeAddress((next) => {
    const place = placeOf(next);
    if (place.sort === shown.sort && place.record === shown.record) return false;
    if (place.cursor !== cursor || listAddress(filtersOf(next)) !== listAddress(shown.filters)) return false;
    const closed = place.record === null ? shown.record : null;
    const isSorted = place.sort !== shown.sort;
    Object.assign(shown, place);
    if (isSorted) {
      shown.table?.show(shown.sort);
      shown.again();
    }
    showRecord();
    if (closed !== null) focusRow(box, closed);
    return true;
  });
  openByClick(box, open);
  walkRows(box, shown, signal);
  const agents = readAgentNames(signal);
  // Each page that is shown follows events until another one is.
  let following = new AbortController();
  const reading = (): Reading<ListPage<OwnRow>> => ({
    what: 'your decisions',
    read: () => ask<ListPage<OwnRow>>(listPath(shown.filters, cursor, ROWS), { signal }),
    show(page) {
      following.abort();
      following = new AbortController();
      if (page.items.length === 0) return [];
      const own = AbortSignal.any([signal, following.signal]);
      const parts = pageParts(page, shown, { signal: own, agents, again: () => renewed(box, read), renew });
      queueMicrotask(showRecord);
      return parts;
    },
    none: noneOf(shown),
  });
  const read = () => {
    following.abort();
    return showReading(box, signal, reading());
  };
  const renew = () => showNewest(box, signal, reading());
  const count = async () => showTotals(totals, shown.filters, await agents, signal);
  const filtering = agents.then((names) => fill(search, filterPart(shown.filters, names, again)));
  void count();
  // The filters are above the rows: the position that is restored counts them.
  await Promise.all([read(), visit.isReturn && filtering]);
  // The first decision: the rows of a list follow events by themselves.
  followDecisions(signal, () => Promise.all([box.querySelector('table') ?? renew(), count()]));
  return TITLE;
}

/**
 * Returns what opens a decision next to the list, or closes it for null. The first opening is a step of the history, so
 * that going back closes it; going on to another one replaces it.
 */
function openingOf(shown: Shown, showRecord: () => void): (record: string | null) => void {
  let isStep = false;
  return (record) => {
    const { filters, cursor, sort } = shown;
    const address = listAddress(filters, { cursor, sort, record });
    if (record === shown.record) return;
    if (shown.record === null) {
      isStep = true;
      goTo(address);
    } else if (record === null && isStep) {
      isStep = false;
      history.back();
    } else {
      const closed = record === null ? shown.record : null;
      replaceAddress(address);
      shown.record = record;
      showRecord();
      if (closed !== null) focusRow(document.body, closed);
    }
  };
}

/** A plain click on a decision opens it next to the list; any other follows the link. */
function openByClick(box: HTMLElement, open: (record: string) => void): void {
  box.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const [, id] = /^#\/records\/(dec_\w+)$/.exec(link?.getAttribute('href') ?? '') ?? [];
    if (id === undefined || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open(id);
  });
}

/** Without an open decision the keys of a list move the focus from row to row; Enter then opens. */
function walkRows(box: HTMLElement, shown: Shown, signal: AbortSignal): void {
  document.addEventListener(
    'keydown',
    (event) => {
      const isOther = shown.record !== null || event.ctrlKey || event.metaKey || event.altKey;
      const { target, key } = event;
      const by =
        (lettersWork() ? { j: 1, k: -1 }[key] : undefined) ??
        (isRowLink(target) ? { ArrowDown: 1, ArrowUp: -1 }[key] : undefined);
      if (by === undefined || isOther || document.querySelector('dialog[open]')) return;
      if (target instanceof Element && target.matches('input:not([type=checkbox]), select, textarea')) return;
      const links = [...box.querySelectorAll<HTMLElement>(ROW_LINK)];
      const at = links.findIndex((link) => link.matches(':focus'));
      const next = links[at < 0 ? 0 : at + by];
      if (!next) return;
      event.preventDefault();
      next.focus();
    },
    { signal },
  );
}

const ROW_LINK = 'tbody th > a';

function isRowLink(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches(ROW_LINK);
}

function focusRow(box: HTMLElement, recordId: string): void {
  const row = [...box.querySelectorAll<HTMLElement>('tbody tr')].find(({ dataset }) => dataset.ids?.includes(recordId));
  row?.querySelector<HTMLElement>('th > a')?.focus();
}

interface PageContext {
  readonly signal: AbortSignal;
  readonly agents: Promise<readonly NamedAgent[]>;
  /** The reader changed it. */
  again(): void;
  /** Events changed it so much that it is read as a whole. */
  renew(): void;
}

function pageParts(page: ListPage<OwnRow>, shown: Shown, context: PageContext): readonly Child[] {
  const { signal, agents, again, renew } = context;
  const { filters, cursor } = shown;
  const { items } = page;
  let newest = page;
  const box = h('div', { class: 'rows' });
  const showRows = () => {
    table.show(shown.sort);
    table.markOpen(shown.record);
    void agents.then((names) => nameAgents(box, names));
  };
  const isOfGroup = filters.group_id !== undefined;
  const bar = actionBar({ filters, items: () => table.items(), signal, columnsChanged: showRows, archived: again });
  const table = decisionTable({
    items,
    isOfGroup,
    sortAddress: (sort) => listAddress(filters, { cursor, sort }),
    selected: (ids) => bar.select(ids),
  });
  shown.table = { ...table, show: showRows };
  fill(box, table.element);
  showRows();
  const liveRow = (group: readonly [OwnRow, ...OwnRow[]]): LiveRow => ({
    key: keyOf(group, isOfGroup),
    content: group,
    element() {
      const row = table.take(group);
      void agents.then((names) => nameAgents(row, names));
      return row;
    },
  });
  const pages = h('nav', { class: 'pages', 'aria-label': 'Pages' });
  const showPages = () => refill(pages, ...pageLinks(table.items().length, newest.next_cursor, shown));
  showPages();
  const { line, again: readAgain } = liveList({
    body: table.body,
    rows: groupsOf(items, isOfGroup).map(liveRow),
    noun: 'decision',
    async read() {
      newest = await ask<ListPage<OwnRow>>(listPath(filters, cursor, ROWS), { signal });
      const [groups, isLast] = [groupsOf(newest.items, isOfGroup), newest.next_cursor === null];
      const whole = isOfGroup || isLast ? groups : wholeGroups(groups, table.items());
      return { rows: whole.map(liveRow), isLast };
    },
    renew,
    dropped: table.drop,
    settled: showPages,
    isNewest: () => cursor === null && shown.sort === null,
    signal,
  });
  shown.again = readAgain;
  return [bar.element, line, box, pages];
}

/** How many are shown of how many, and the pages around this one. */
function pageLinks(count: number, next: string | null, { filters, cursor }: Shown): readonly Child[] {
  const of = cursor === null && next === null ? `All ${count}` : `${count} of them`;
  return [
    h('span', { class: 'soft' }, `${of} shown`),
    cursor !== null && h('a', { id: 'page-newest', href: listAddress(filters), rel: 'prev' }, 'Newest'),
    next !== null && h('a', { id: 'page-older', href: listAddress(filters, { cursor: next }), rel: 'next' }, 'Older'),
  ];
}

function nameAgents(box: HTMLElement, names: readonly NamedAgent[]): void {
  for (const cell of box.querySelectorAll<HTMLElement>('[data-agent]')) {
    cell.textContent = names.find(({ agent_id }) => agent_id === cell.dataset.agent)?.name ?? cell.textContent;
  }
}

function noneOf({ filters, cursor }: Shown): HTMLElement {
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
