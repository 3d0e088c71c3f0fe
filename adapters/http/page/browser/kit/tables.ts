import { type Attributes, button, type Child, fill, h } from './elements.ts';
import { isProven } from './proof.ts';
import { refusedState } from './refused-state.ts';

export interface Column<Row> {
  readonly title: string;
  cell(row: Row): Child | readonly Child[];
  /** `number`: aligned by digits. `actions`: buttons, without a visible title. */
  readonly kind?: 'number' | 'actions';
}

export interface TableContent<Row> {
  /** Names the table; shown above it unless `isCaptionHidden`. */
  readonly caption: string;
  readonly isCaptionHidden?: boolean;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
}

/**
 * A table that becomes a list of cards on a phone. The roles are written out, because browsers drop those of a table
 * that is not displayed as one.
 */
export function table<Row>(content: TableContent<Row>): HTMLTableElement {
  const { caption, isCaptionHidden = false, columns, rows } = content;
  return h(
    'table',
    { role: 'table', class: 'cards-on-phone' },
    h('caption', { class: isCaptionHidden && 'hidden' }, caption),
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, ...columns.map(headCell))),
    h('tbody', { role: 'rowgroup' }, ...rows.map((row) => rowOf(columns, row))),
  );
}

function headCell<Row>({ title, kind }: Column<Row>): HTMLElement {
  const words = kind === 'actions' ? h('span', { class: 'hidden' }, title) : title;
  return h('th', { role: 'columnheader', scope: 'col', class: kind }, words);
}

function rowOf<Row>(columns: readonly Column<Row>[], row: Row): HTMLElement {
  return h(
    'tr',
    { role: 'row' },
    ...columns.map(({ title, cell, kind }, i) => {
      const content = childrenOf(cell(row));
      const attributes = { class: kind, 'data-title': kind === 'actions' ? null : title };
      return i === 0
        ? h('th', { role: 'rowheader', scope: 'row', ...attributes }, ...content)
        : h('td', { role: 'cell', ...attributes }, h('div', {}, ...content));
    }),
  );
}

function childrenOf(content: Child | readonly Child[]): readonly Child[] {
  return Array.isArray(content) ? content : [content as Child];
}

export interface WirePage<Row> {
  readonly items: readonly Row[];
  readonly next_cursor: string | null;
}

interface PagedContent<Row> extends Omit<TableContent<Row>, 'rows'> {
  readonly first: WirePage<Row>;
  next(cursor: string): Promise<WirePage<Row>>;
  /** Of the button that adds the next page, such as `Show older events`. */
  readonly more: string;
  readonly signal: AbortSignal;
}

/** A table of the first page, with a button that appends the next one. */
export function pagedTable<Row>(content: PagedContent<Row>): readonly HTMLElement[] {
  const { first, columns } = content;
  const shown = table({ ...content, rows: first.items });
  const body = shown.querySelector('tbody');
  const foot = h('div', { class: 'more' });
  const offer = (cursor: string | null) => {
    fill(foot, cursor !== null && button(content.more, () => append(cursor)));
  };
  const append = async (cursor: string, attempt = 0): Promise<void> => {
    try {
      const { items, next_cursor } = await content.next(cursor);
      const rows = items.map((row) => rowOf(columns, row));
      body?.append(...rows);
      offer(next_cursor);
      // A reader who is at something else by now stays there.
      if (rows[0] && (attempt === 0 || document.activeElement === document.body)) focusRow(rows[0]);
    } catch (error) {
      const { signal } = content;
      const retry = (next: number) => append(cursor, next);
      if (!signal.aborted) fill(foot, refusedState(error, 'Could not read more.', { retry, attempt, signal }));
    }
  };
  offer(first.next_cursor);
  return [shown, foot];
}

/** The button that was pressed is gone or means another page: the reader goes on at the first new row. */
function focusRow(row: HTMLElement): void {
  row.setAttribute('tabindex', '-1');
  row.focus({ preventScroll: true });
}

/**
 * A link that downloads an export. If the login is too long ago, the reader logs in again in a dialog first, and then the
 * download begins: a link alone would only save the refusal.
 */
export function exportLink(href: string, attributes: Attributes, ...words: readonly Child[]) {
  const link = h('a', { ...attributes, href }, ...words);
  let isConfirmed = false;
  link.addEventListener('click', (event) => {
    if (isConfirmed) {
      isConfirmed = false;
      return;
    }
    event.preventDefault();
    void mayDownload(href).then((may) => {
      if (!may) return;
      isConfirmed = true;
      link.click();
    });
  });
  return link;
}

/** A reply to HEAD has no body that names its code. What else is refused than a login, the download itself shows. */
async function mayDownload(href: string): Promise<boolean> {
  const status = await fetch(href, { method: 'HEAD' }).then(
    (reply) => reply.status,
    () => null,
  );
  return status !== 401 || isProven();
}
