import { h } from '../kit/elements.ts';
import { table } from '../kit/tables.ts';
import { day, horizon, instant, instrument, percent, plain, signed } from '../kit/value-texts.ts';
import type { OwnRow } from '../kit/wire.ts';

/** Own decisions as a table; on a phone each is a card. */
export function decisionTable(rows: readonly OwnRow[]): HTMLElement {
  return table({
    caption: 'Your decisions, the newest first',
    isCaptionHidden: true,
    rows,
    columns: [
      {
        title: 'Instrument',
        cell: (row) => [
          h('a', { href: `#/records/${row.record_id}` }, instrument(row)),
          h('span', { class: 'about' }, `${row.venue}, ${day(row.submission_time)}`),
        ],
      },
      { title: 'Agent', cell: ({ agent_id }) => h('span', { 'data-agent': agent_id }, agent_id) },
      { title: 'Direction', cell: ({ direction }) => direction },
      { title: 'Horizon', cell: horizon },
      { title: 'State', cell: stateCell },
      { title: 'Return', kind: 'number', cell: ({ path }) => (path ? percent(path.raw_return) : '') },
      { title: 'z', kind: 'number', cell: ({ path }) => (path && path.z !== null ? signed(path.z) : '') },
      { title: 'Bucket', cell: ({ result_bucket }) => (result_bucket ? plain(result_bucket) : '') },
      { title: 'Due', cell: dueCell },
    ],
  });
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
