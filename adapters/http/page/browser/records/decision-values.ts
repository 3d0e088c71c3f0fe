import { instrument } from '../kit/value-texts.ts';
import type { OwnRow } from '../kit/wire.ts';

type Value = string | number | null;

/** What a page of the list is sorted by, for each column of it; null is last either way. */
const VALUES: Readonly<Record<string, (row: OwnRow) => Value>> = {
  result: resultValue,
  instrument: (row) => instrument(row),
  direction: ({ direction }) => direction,
  horizon: ({ window }) => Date.parse(window.end_time) - Date.parse(window.anchor_time),
  data: ({ data_cutoff }) => Date.parse(data_cutoff),
  return: ({ path }) => path && (path.directional_return ?? path.raw_return),
  z: ({ path }) => path?.z ?? null,
  agent: ({ agent_id }) => agent_id,
  submitted: ({ submission_time }) => Date.parse(submission_time),
  window: ({ window }) => Date.parse(window.end_time),
  due: (row) => (isExpected(row) ? Date.parse(row.expected_evaluation_at) : null),
  mfe: ({ path }) => path?.mfe ?? null,
  mae: ({ path }) => path?.mae ?? null,
  graded: ({ evaluation: { evaluated_at } }) => evaluated_at && Date.parse(evaluated_at),
};

/** The rows by a column; those without a value are last, and equal ones stay in their order. */
export function sortedRows<Group extends readonly [OwnRow, ...OwnRow[]]>(
  groups: readonly Group[],
  sort: string | null,
): readonly Group[] {
  const valueIn = Object.entries(VALUES).find(([name]) => name === sort?.replace(/^-/, ''))?.[1];
  if (!valueIn) return groups;
  const sign = sort?.startsWith('-') ? -1 : 1;
  return groups.toSorted(([a], [b]) => {
    const [left, right] = [valueIn(a), valueIn(b)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return sign * (left < right ? -1 : left > right ? 1 : 0);
  });
}

type Expected = OwnRow & { readonly expected_evaluation_at: string };

/** Whether it waits for its grade, with a time. */
export function isExpected(row: OwnRow): row is Expected {
  return row.result_bucket === null && row.expected_evaluation_at !== null;
}

const BUCKETS = ['strong_correct', 'weak_correct', 'weak_incorrect', 'strong_incorrect'];

/** The buckets in the order of the charts, then the states by name. */
function resultValue({ result_bucket, lifecycle_state }: OwnRow): string {
  return result_bucket === null ? `9${lifecycle_state}` : String(BUCKETS.indexOf(result_bucket));
}

/** Named as the columns of the export of all data. */
const FILE_COLUMNS: readonly (readonly [name: string, value: (row: OwnRow) => Value])[] = [
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
  const lines = rows.map((row) => FILE_COLUMNS.map(([, value]) => cellOf(value(row))).join(','));
  return [FILE_COLUMNS.map(([name]) => name).join(','), ...lines, ''].join('\r\n');
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
