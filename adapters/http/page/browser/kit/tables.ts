import { isProven } from './ask.ts';
import { type Attributes, button, type Child, h } from './elements.ts';

export interface Column<Row> {
  readonly title: string;
  cell(row: Row): Child | readonly Child[];
  /** `number`: aligned by digits. `actions`: buttons, without a visible title. */
  readonly kind?: 'number' | 'actions';
}

/** What can be done with a row: a button, or a link. */
export type RowAction = RowButton | { readonly label: string; readonly href: string };

interface RowButton {
  readonly label: string;
  /** What it is done to, for readers who hear the button alone: `Revoke sb_1234`. */
  readonly of: string;
  readonly isDangerous?: boolean;
  /** Returns whether the list has changed: it is then read again. */
  run(): Promise<boolean>;
}

export interface TableContent<Row> {
  /** Names the table; shown above it unless `isCaptionHidden`. */
  readonly caption: string;
  readonly isCaptionHidden?: boolean;
  readonly columns: readonly Column<Row>[];
  actions?(row: Row): readonly (RowAction | false)[];
  readonly rows: readonly Row[];
}

/**
 * A table that becomes a list of cards on a phone. The roles are written out, because browsers drop those of a table
 * that is not displayed as one.
 * @param changed runs after an action that has changed the list
 */
export function table<Row>(content: TableContent<Row>, changed?: () => Promise<unknown>): HTMLTableElement {
  const { caption, isCaptionHidden = false, rows } = content;
  const columns = columnsOf(content, changed);
  return h(
    'table',
    { role: 'table', class: 'cards-on-phone' },
    h('caption', { class: isCaptionHidden && 'hidden' }, caption),
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, ...columns.map(headCell))),
    h('tbody', { role: 'rowgroup' }, ...rows.map((row) => rowOf(columns, row))),
  );
}

/** The columns, and a last one with the actions where there are any. */
export function columnsOf<Row>(
  { columns, actions }: Omit<TableContent<Row>, 'rows'>,
  changed?: () => Promise<unknown>,
): readonly Column<Row>[] {
  if (!actions) return columns;
  const cell = (row: Row) => {
    const shown = actions(row).map((action) => action && actionElement(action, changed));
    return h('div', { class: 'buttons' }, ...shown);
  };
  return [...columns, { title: 'Actions', kind: 'actions', cell }];
}

function actionElement(action: RowAction, changed?: () => Promise<unknown>): HTMLElement {
  if ('href' in action) return h('a', { class: 'button', href: action.href }, action.label);
  const { label, of, isDangerous, run } = action;
  const act = async () => {
    if (await run()) await changed?.();
  };
  return button(label, act, { class: isDangerous && 'danger', 'aria-label': `${label} ${of}` });
}

function headCell<Row>({ title, kind }: Column<Row>): HTMLElement {
  const words = kind === 'actions' ? h('span', { class: 'hidden' }, title) : title;
  return h('th', { role: 'columnheader', scope: 'col', class: kind }, words);
}

export function rowOf<Row>(columns: readonly Column<Row>[], row: Row): HTMLElement {
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
