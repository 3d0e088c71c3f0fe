import { type Child, fill, h, refill } from '../kit/elements.ts';
import { instrument } from '../kit/value-texts.ts';
import type { OwnRow } from '../kit/wire.ts';
import { type DecisionColumn, shownColumns } from './decision-columns.ts';
import { groupedRows } from './decision-query.ts';
import { sortedRows } from './decision-values.ts';

/** What the table of a page needs from its view. */
export interface DecisionList {
  readonly items: readonly OwnRow[];
  /** In a list of one group its horizons are rows of their own. */
  readonly isOfGroup: boolean;
  /** The address of the same page in another order. */
  sortAddress(sort: string | null): string;
  /** The ids of the selected decisions, after a change. */
  selected(ids: readonly string[]): void;
}

export interface DecisionTable {
  readonly element: HTMLElement;
  /** Of its rows. */
  readonly body: HTMLTableSectionElement;
  /** Shows the rows in an order, with the columns that are chosen now. */
  show(sort: string | null): void;
  /** Marks the row of the decision that is open next to the list. */
  markOpen(recordId: string | null): void;
  /** The decisions in the order of the rows that are shown; of a group the one that leads. */
  ids(): readonly string[];
  /** The decisions that the table has, in no order. */
  items(): readonly OwnRow[];
  /** Takes one that is new or has changed, and returns its row. */
  take(group: Group): HTMLTableRowElement;
  /** A row was taken away. */
  drop(key: string): void;
}

type Group = readonly [OwnRow, ...OwnRow[]];

/** A decision group is one row that opens, but in its own list. */
export function groupsOf(items: readonly OwnRow[], isOfGroup: boolean): readonly Group[] {
  return isOfGroup ? items.map((item) => [item]) : groupedRows(items);
}

/** What names the row of a decision or a group as long as the list is open. */
export function keyOf([{ group, record_id }]: Group, isOfGroup: boolean): string {
  return isOfGroup ? record_id : (group?.id ?? record_id);
}

/** Own decisions, one line each: two lines where the list is narrow. */
export function decisionTable(list: DecisionList): DecisionTable {
  const { isOfGroup } = list;
  const groups = [...groupsOf(list.items, isOfGroup)];
  let opened: string | null = null;
  const [head, body] = [h('thead', { role: 'rowgroup' }), h('tbody', { role: 'rowgroup' })];
  const caption = h('caption', { class: 'hidden' }, 'Your decisions, the newest first');
  const element = h('table', { role: 'table', class: 'lines' }, caption, head, body);
  const chosen = () =>
    [...body.querySelectorAll<HTMLInputElement>('.c-select input:checked')].flatMap(({ value }) => value.split(' '));
  element.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    if (target.value === ALL)
      for (const each of body.querySelectorAll<HTMLInputElement>('.c-select input')) each.checked = target.checked;
    list.selected(chosen());
  });
  const rowOf = (group: Group, columns: readonly DecisionColumn[], before: readonly string[]) => {
    const row = decisionRow(group, columns);
    row.dataset.key = keyOf(group, isOfGroup);
    const [{ record_id }] = group;
    const box = row.querySelector<HTMLInputElement>('.c-select input');
    if (box) box.checked = before.includes(record_id);
    markIn(row, opened);
    return row;
  };
  return {
    element,
    body,
    items: () => groups.flat(),
    take(group) {
      const at = groups.findIndex((each) => keyOf(each, isOfGroup) === keyOf(group, isOfGroup));
      if (at === -1) groups.unshift(group);
      else groups[at] = group;
      return rowOf(group, shownColumns(), chosen());
    },
    drop(key) {
      const at = groups.findIndex((each) => keyOf(each, isOfGroup) === key);
      if (at !== -1) groups.splice(at, 1);
    },
    show(sort) {
      const [columns, before] = [shownColumns(), chosen()];
      refill(head, headRow(columns, sort, list));
      fill(body, ...sortedRows(groups, sort).map((group) => rowOf(group, columns, before)));
      fill(caption, sort === null ? 'Your decisions, the newest first' : `Your decisions of this page, sorted`);
    },
    markOpen(recordId) {
      opened = recordId;
      for (const row of body.rows) markIn(row, recordId);
    },
    ids: () => [...body.rows].flatMap(({ dataset }) => dataset.ids?.split(' ')[0] ?? []),
  };
}

function markIn(row: HTMLTableRowElement, recordId: string | null): void {
  row.ariaCurrent = recordId !== null && row.dataset.ids?.includes(recordId) ? 'true' : null;
}

const ALL = 'all';

function headRow(columns: readonly DecisionColumn[], sort: string | null, { sortAddress }: DecisionList): HTMLElement {
  const all = h('input', { type: 'checkbox', value: ALL, 'aria-label': 'Select all of this page' });
  return h(
    'tr',
    { role: 'row' },
    h('th', { role: 'columnheader', scope: 'col', class: 'c-select' }, all),
    ...columns.map(({ name, title, about, isNumber }) => {
      const way = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : null;
      const [first, second] = isNumber ? [`-${name}`, name] : [name, `-${name}`];
      const next = sort === first ? second : sort === second ? null : first;
      return h(
        'th',
        { role: 'columnheader', scope: 'col', class: `c-${name}${isNumber ? ' number' : ''}`, 'aria-sort': way },
        h(
          'a',
          { id: `sort-${name}`, href: sortAddress(next), title: about ?? `Sort this page by ${title.toLowerCase()}` },
          title,
        ),
      );
    }),
  );
}

/** One row: a decision, with the further horizons of its group that are on the page. */
export function decisionRow([row, ...others]: Group, columns: readonly DecisionColumn[]): HTMLTableRowElement {
  const ids = [row, ...others].map(({ record_id }) => record_id).join(' ');
  const label = `Select ${instrument(row)} ${row.direction}, ${row.record_id}`;
  return h(
    'tr',
    { role: 'row', 'data-ids': ids },
    h('td', { role: 'cell', class: 'c-select' }, h('input', { type: 'checkbox', value: ids, 'aria-label': label })),
    ...columns.map(({ name, cell, isNumber }) => {
      const content = childrenOf(cell(row, others));
      const style = `c-${name}${isNumber ? ' number' : ''}`;
      return name === 'instrument'
        ? h('th', { role: 'rowheader', scope: 'row', class: style }, ...content)
        : h('td', { role: 'cell', class: style }, ...content);
    }),
  );
}

function childrenOf(content: Child | readonly Child[]): readonly Child[] {
  return Array.isArray(content) ? content : [content as Child];
}
