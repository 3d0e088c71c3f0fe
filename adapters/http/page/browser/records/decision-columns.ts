import { type Child, h } from '../kit/elements.ts';
import { isTexts, keepChoice, keptChoice } from '../kit/kept.ts';
import { spoken, timeAt, timeFrom } from '../kit/shown-values.ts';
import { horizon, instrument, percent, plain, signed } from '../kit/value-texts.ts';
import type { OwnRow } from '../kit/wire.ts';
import { listAddress } from './decision-query.ts';
import { isExpected } from './decision-values.ts';

/** A column of the list of own decisions. */
export interface DecisionColumn {
  /** In addresses, in style sheets and in what the browser keeps. */
  readonly name: string;
  readonly title: string;
  /** Where the title alone does not say it. */
  readonly about?: string;
  readonly isNumber?: boolean;
  /** Shown unless the reader chose columns. */
  readonly isDefault?: boolean;
  /** @param others the further horizons of its decision group that are on the page */
  cell(row: OwnRow, others: readonly OwnRow[]): Child | readonly Child[];
}

/** The first two identify a row and are always shown. */
export const COLUMNS: readonly DecisionColumn[] = [
  { name: 'result', title: 'Result', cell: resultCell },
  { name: 'instrument', title: 'Instrument', cell: instrumentCell },
  {
    ...{ name: 'direction', title: 'Direction', isDefault: true },
    cell: ({ direction }) => direction,
  },
  {
    ...{ name: 'horizon', title: 'Horizon', isDefault: true },
    cell: horizonCell,
  },
  {
    ...{ name: 'data', title: 'Data up to', about: 'the time of the data that the agent had', isDefault: true },
    cell: ({ data_cutoff }) => timeAt(data_cutoff),
  },
  {
    ...{ name: 'return', title: 'Return', isNumber: true, isDefault: true },
    about: 'in the direction of the decision; of a neutral one as it was',
    cell: ({ path }) => path && spoken(percent(path.directional_return ?? path.raw_return)),
  },
  {
    ...{ name: 'z', title: 'z', isNumber: true, isDefault: true },
    about: 'the move in sigmas of the window, signed by the direction',
    cell: ({ path }) => path && path.z !== null && spoken(signed(path.z)),
  },
  {
    ...{ name: 'agent', title: 'Agent', isDefault: true },
    cell: ({ agent_id }) => h('span', { 'data-agent': agent_id }, agent_id),
  },
  {
    ...{ name: 'submitted', title: 'Submitted' },
    cell: ({ submission_time }) => timeFrom(submission_time),
  },
  {
    ...{ name: 'window', title: 'Window ends' },
    cell: ({ window }) => timeAt(window.end_time),
  },
  {
    ...{ name: 'due', title: 'Due' },
    cell: (row) => (isExpected(row) ? timeFrom(row.expected_evaluation_at) : ''),
  },
  {
    ...{ name: 'mfe', title: 'MFE', about: 'largest favourable excursion', isNumber: true },
    cell: ({ path }) => path && path.mfe !== null && spoken(percent(path.mfe)),
  },
  {
    ...{ name: 'mae', title: 'MAE', about: 'largest adverse excursion', isNumber: true },
    cell: ({ path }) => path && path.mae !== null && spoken(percent(path.mae)),
  },
  {
    ...{ name: 'graded', title: 'Graded' },
    cell: ({ evaluation: { evaluated_at } }) => evaluated_at && timeFrom(evaluated_at),
  },
];

const ALWAYS = 2;

const KEPT = 'decision-columns';

export const CHOSEN_COLUMNS = COLUMNS.slice(ALWAYS);

/** Those that the reader chose in this browser, in the order of the table. */
export function shownColumns(): readonly DecisionColumn[] {
  const usual = COLUMNS.filter(({ isDefault }) => isDefault).map(({ name }) => name);
  const chosen = keptChoice(KEPT, isTexts, usual);
  return COLUMNS.filter(({ name }, place) => place < ALWAYS || chosen.includes(name));
}

export function chooseColumns(names: readonly string[]): void {
  keepChoice(KEPT, names);
}

/** The bucket, or the state of a decision without one: a mark in the colours of the charts, and words. */
function resultBadge({ result_bucket, lifecycle_state }: Pick<OwnRow, 'result_bucket' | 'lifecycle_state'>) {
  const mark = h('span', { class: `mark ${result_bucket ?? 'none'}`, 'aria-hidden': 'true' });
  return h('span', { class: 'result' }, mark, plain(result_bucket ?? lifecycle_state));
}

function resultCell(row: OwnRow): readonly Child[] {
  return [
    resultBadge(row),
    row.submission_origin === 'retroactive' && h('span', { class: 'tag', title: AFTER }, 'retroactive'),
    row.archived_at !== null && h('span', { class: 'tag' }, 'archived'),
  ];
}

function instrumentCell(row: OwnRow): readonly Child[] {
  return [h('a', { href: `#/records/${row.record_id}` }, instrument(row)), h('span', { class: 'venue' }, row.venue)];
}

const AFTER = 'stated after the prices were known';

/** The horizon that leads, and the others of its group to open. */
function horizonCell(first: OwnRow, others: readonly OwnRow[]): readonly Child[] {
  const { group } = first;
  if (!group) return [horizon(first)];
  if (others.length === 0) return [horizon(first), h('span', { class: 'tag' }, `${group.place} of ${group.of}`)];
  const item = (row: OwnRow) =>
    h('li', {}, h('a', { href: `#/records/${row.record_id}` }, horizon(row)), ': ', resultBadge(row));
  const all = h('a', { href: listAddress({ group_id: group.id, include_archived: 'true' }) }, `All ${group.of}`);
  const words = `and ${others.length} more`;
  return [horizon(first), h('details', {}, h('summary', {}, words), h('ul', {}, ...others.map(item)), all)];
}
