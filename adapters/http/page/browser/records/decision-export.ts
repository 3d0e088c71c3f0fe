import { ask } from '../kit/ask.ts';
import type { ListPage } from '../kit/lists.ts';
import type { OwnRow } from '../kit/wire.ts';
import { type Filters, listPath } from './decision-query.ts';

/** The most that a request of the list returns. */
const PAGE = 100;

/** What a file of the page has at most: more is a matter of the export, which is a stream. */
export const MOST_EXPORTED = 10_000;

/** All decisions that the filters select, the newest first, up to `MOST_EXPORTED`. @param progress the number so far */
export async function readFiltered(
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

type Value = string | number | null;

/** Named as the columns of the export of all data. */
const COLUMNS: readonly (readonly [name: string, value: (row: OwnRow) => Value])[] = [
  ['record_id', ({ record_id }) => record_id],
  ['agent_id', ({ agent_id }) => agent_id],
  ['number', ({ number }) => number],
  ['group_id', ({ group }) => group?.id ?? null],
  ['group_place', ({ group }) => group?.place ?? null],
  ['group_of', ({ group }) => group?.of ?? null],
  ['market', ({ market }) => market],
  ['symbol', ({ symbol }) => symbol],
  ['venue', ({ venue }) => venue],
  ['asset_class', ({ asset_class }) => asset_class],
  ['quote_currency', ({ quote_currency }) => quote_currency],
  ['cohort_key', ({ cohort_key }) => cohort_key],
  ['direction', ({ direction }) => direction],
  ['analysis_class', ({ analysis_class }) => analysis_class],
  ['perspective_type', ({ perspective_type }) => perspective_type],
  ['horizon_kind', ({ horizon_kind }) => horizon_kind],
  ['horizon_value', ({ horizon_value }) => horizon_value],
  ['data_cutoff', ({ data_cutoff }) => data_cutoff],
  ['submission_time', ({ submission_time }) => submission_time],
  ['submission_origin', ({ submission_origin }) => submission_origin],
  ['method', ({ method }) => method],
  ['anchor_time', ({ window }) => window.anchor_time],
  ['end_time', ({ window }) => window.end_time],
  ['lifecycle_state', ({ lifecycle_state }) => lifecycle_state],
  ['last_error', ({ evaluation }) => evaluation.last_error],
  ['evaluated_at', ({ evaluation }) => evaluation.evaluated_at],
  ['result_bucket', ({ result_bucket }) => result_bucket],
  ['raw_return', ({ path }) => path?.raw_return ?? null],
  ['directional_return', ({ path }) => path?.directional_return ?? null],
  ['mfe', ({ path }) => path?.mfe ?? null],
  ['mae', ({ path }) => path?.mae ?? null],
  ['z', ({ path }) => path?.z ?? null],
  ['archived_at', ({ archived_at }) => archived_at],
];

/** RFC 4180 with a line of names, written as the export of all data writes it. */
export function csvOf(rows: readonly OwnRow[]): string {
  const lines = rows.map((row) => COLUMNS.map(([, value]) => cellOf(value(row))).join(','));
  return [COLUMNS.map(([name]) => name).join(','), ...lines, ''].join('\r\n');
}

const TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

/** Spreadsheets compute a text that begins like a formula, unless an apostrophe is in front. */
function cellOf(value: Value): string {
  if (value === null) return '';
  if (typeof value === 'number' || TIME.test(value)) return String(value);
  const isSafe = !/^[=+\-@\t\r\n'\uff1d\uff0b\uff0d\uff20]/.test(value);
  return `"${isSafe ? '' : "'"}${value.replaceAll('"', '""')}"`;
}

/** The rows as the list replied them. */
export function jsonOf(rows: readonly OwnRow[]): string {
  return `${JSON.stringify(rows, null, 1)}\n`;
}
