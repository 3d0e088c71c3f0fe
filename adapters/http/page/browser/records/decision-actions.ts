import { ask } from '../kit/ask.ts';
import { announce, attempt } from '../kit/dialogs.ts';
import { button, type Child, fill, h } from '../kit/elements.ts';
import type { ListPage } from '../kit/lists.ts';
import { textAt } from '../kit/proof-files.ts';
import { storedZip } from '../kit/stored-zip.ts';
import { exportLink } from '../kit/tables.ts';
import { counted } from '../kit/value-texts.ts';
import type { OwnRow } from '../kit/wire.ts';
import { CHOSEN_COLUMNS, chooseColumns, shownColumns } from './decision-columns.ts';
import { type Filters, listPath } from './decision-query.ts';
import { csvOf, jsonOf } from './decision-values.ts';

/** What the bar above the list acts on. */
export interface ListActions {
  readonly filters: Filters;
  items(): readonly OwnRow[];
  readonly signal: AbortSignal;
  /** The columns were chosen anew. */
  columnsChanged(): void;
  /** Decisions were archived. */
  archived(): void;
}

/** The bar above the list: columns and files, or what can be done with the selected decisions. */
export interface ActionBar {
  readonly element: HTMLElement;
  select(ids: readonly string[]): void;
}

export function actionBar(actions: ListActions): ActionBar {
  const selection = h('div', { class: 'selection', role: 'group', 'aria-label': 'Selected decisions' });
  selection.hidden = true;
  const element = h('div', { class: 'list-bar' }, columnChoice(actions), downloads(actions), selection);
  return {
    element,
    select(ids) {
      selection.hidden = ids.length === 0;
      fill(selection, ...selectionParts(ids, actions));
    },
  };
}

const SHOWN = { class: 'menu-box choices', role: 'group', 'aria-label': 'Shown columns' };

function columnChoice({ columnsChanged }: ListActions): HTMLElement {
  const shown = shownColumns();
  const boxes = CHOSEN_COLUMNS.map((column) => {
    const box = h('input', { type: 'checkbox', value: column.name, checked: shown.includes(column) });
    return [box, h('label', { class: 'choice' }, box, column.title)] as const;
  });
  const list = h('div', SHOWN, ...boxes.map(([, label]) => label));
  list.addEventListener('change', () => {
    chooseColumns(boxes.flatMap(([box]) => (box.checked ? [box.value] : [])));
    columnsChanged();
  });
  return h('details', { class: 'menu' }, h('summary', {}, 'Columns'), list);
}

function downloads({ filters, signal }: ListActions): HTMLElement {
  const status = h('p', { class: 'about', role: 'status' });
  const whole = (format: string, words: string) =>
    exportLink(`/api/v1/owner/export?format=${format}`, { download: `stancebook-export.${format}` }, words);
  const save = async (format: Format) => {
    const isDone = await attempt('The file was not made', 'The file is made.', async () => {
      const rows = await readFiltered(filters, signal, (count) => fill(status, `${counted(count, 'decision')} read.`));
      const isCut = rows.length >= MOST_EXPORTED;
      fill(status, isCut ? `The file has the newest ${counted(rows.length, 'decision')}.` : '');
      saveRows(rows, format);
    });
    if (!isDone) fill(status);
  };
  const filtered = h(
    'div',
    { class: 'buttons' },
    button('CSV', () => save('csv')),
    button('JSON', () => save('json')),
  );
  const isFiltered = Object.keys(filters).length > 0;
  const all: readonly Child[] = [
    'All your data, with bars and receipts: ',
    whole('jsonl', 'JSON lines'),
    ', ',
    whole('zip', 'zip'),
  ];
  const tables: readonly Child[] = [
    '; all decisions as a table: ',
    whole('parquet', 'Parquet'),
    ', ',
    whole('csv', 'CSV'),
    '.',
  ];
  return h(
    'details',
    { class: 'menu' },
    h('summary', {}, 'Download'),
    h(
      'div',
      { class: 'menu-box' },
      h('p', {}, isFiltered ? 'The decisions that the filters select:' : 'The decisions of this list:'),
      filtered,
      status,
      h('p', { class: 'soft' }, ...all, ...tables),
    ),
  );
}

/** The most that a request of the list returns. */
const PAGE = 100;

/** What a file of the page has at most: more is a matter of the export, which is a stream. */
const MOST_EXPORTED = 10_000;

/** All decisions that the filters select, the newest first, up to `MOST_EXPORTED`. @param progress the number so far */
async function readFiltered(
  filters: Filters,
  signal: AbortSignal,
  progress: (count: number) => void,
): Promise<readonly OwnRow[]> {
  const rows: OwnRow[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: ListPage<OwnRow> = await ask<ListPage<OwnRow>>(listPath(filters, cursor, PAGE), { signal });
    rows.push(...page.items);
    progress(rows.length);
    cursor = page.next_cursor;
    if (cursor === null || rows.length >= MOST_EXPORTED) return rows;
  }
}

type Format = 'csv' | 'json';

function saveRows(rows: readonly OwnRow[], format: Format): void {
  const [text, type] = format === 'csv' ? [csvOf(rows), 'text/csv'] : [jsonOf(rows), 'application/json'];
  save(new Blob([text], { type }), `stancebook-decisions.${format}`);
}

function save(content: Blob, name: string): void {
  const href = URL.createObjectURL(content);
  h('a', { href, download: name }).click();
  // The download has begun by then, and needs the address no more.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

function selectionParts(ids: readonly string[], { items, signal, archived }: ListActions): readonly Child[] {
  /** As they are at the click: events change them. */
  const rowsNow = () => items().filter(({ record_id }) => ids.includes(record_id));
  const openNow = () => rowsNow().filter(({ archived_at }) => archived_at === null);
  const archive = async () => {
    const open = openNow();
    if (open.length === 0) return announce('They are archived.');
    const count = counted(open.length, 'decision');
    const question = {
      title: `Archive ${count}?`,
      words: ['They are hidden from your lists only: they are graded and counted as before. This cannot be undone.'],
      action: `Archive ${count}`,
    };
    let done = 0;
    const archiveAll = async () => {
      for (const { record_id } of open) {
        await ask(`/api/v1/owner/decisions/${record_id}/revoke`, { method: 'POST', body: {} });
        done += 1;
      }
    };
    const refused = () => `${done} of ${count} archived`;
    await attempt(refused, `${count} archived.`, archiveAll, question);
    if (done > 0) archived();
  };
  const receipts = () =>
    attempt('The receipts were not read', 'The receipts are in the file; /verify checks them.', async () => {
      const rows = rowsNow();
      const files = await readReceipts(rows, signal);
      save(storedZip(files), 'stancebook-receipts.zip');
      const missing = rows.filter(({ record_id }) => !files.some(({ name }) => name.startsWith(record_id)));
      if (missing.length > 0) announce(`${counted(missing.length, 'decision')} not in the log yet.`);
    });
  return [
    h('span', { role: 'status' }, `${counted(ids.length, 'decision')} selected`),
    button('CSV', () => saveRows(rowsNow(), 'csv')),
    button('JSON', () => saveRows(rowsNow(), 'json')),
    button('Receipts', receipts),
    openNow().length > 0 && button('Archive', archive, { class: 'danger' }),
  ];
}

interface TextFile {
  readonly name: string;
  readonly text: string;
}

/** The receipt of each decision and of each grade that the log has, and the policy with its keys. */
async function readReceipts(rows: readonly OwnRow[], signal: AbortSignal): Promise<readonly TextFile[]> {
  const files: TextFile[] = [];
  for (const { record_id, result_bucket } of rows) {
    const path = `/api/v1/agent/decisions/${record_id}/receipt?opening=full`;
    const receipt = await textAt(path, signal);
    if (receipt !== null) files.push({ name: `${record_id}.receipt`, text: receipt });
    const grade = result_bucket === null ? null : await textAt(`${path}&leaf=outcome`, signal);
    if (grade !== null) files.push({ name: `${record_id}.grade`, text: grade });
  }
  const policy = files.length > 0 ? await textAt('/log/policy', signal) : null;
  return policy === null ? files : [...files, { name: 'policy', text: policy }];
}
