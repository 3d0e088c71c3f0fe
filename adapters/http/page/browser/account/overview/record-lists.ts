import { ask } from '../../kit/ask.ts';
import { type Child, h } from '../../kit/elements.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { showNewest } from '../../kit/states.ts';
import { instant, plain } from '../../kit/value-texts.ts';
import { recordLink } from '../../records/related-records.ts';
import { dueWithin, troubleWords } from './overview-words.ts';

type Row = Schemas['OwnerDecisionSummary'];
type ReadCounts = () => Promise<Schemas['Dashboard']>;
type State = keyof Schemas['CountByState'];

const LIST = '/api/v1/owner/decisions?limit=100';
const WEEK = 7 * 86_400_000;

/** Open records whose outcome is expected within a week, the next one first. */
export async function showDue(box: HTMLElement, signal: AbortSignal, readCounts: ReadCounts): Promise<void> {
  await showNewest(box, signal, {
    what: 'what is due',
    read: () => rowsIn(['verified', 'evaluating'], readCounts, signal),
    show({ rows, hasMore }) {
      const due = dueWithin(rows, Date.now(), WEEK);
      return due.length === 0 ? [] : [list(due, dueWords), hasMore && onlyNewest()];
    },
    none: 'Nothing is due within a week.',
  });
}

/** Records that wait for prices, or have none, with the reason and what can be done. */
export async function showTroubled(box: HTMLElement, signal: AbortSignal, readCounts: ReadCounts): Promise<void> {
  await showNewest(box, signal, {
    what: 'what waits',
    read: () =>
      rowsIn(['deferred', 'pending_verify', 'data_unavailable', 'rejected', 'quarantined'], readCounts, signal),
    show: ({ rows, hasMore }) =>
      rows.length === 0 ? [] : [list(rows, (row) => troubleWords(row, instant)), hasMore && onlyNewest()],
    none: 'Nothing: every record is graded, or waits only for the end of its window.',
  });
}

interface Rows {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

/** The records in these states; a state without a record is not asked for. */
async function rowsIn(states: readonly State[], readCounts: ReadCounts, signal: AbortSignal): Promise<Rows> {
  const { by_state } = (await readCounts()).decisions;
  const pages = await Promise.all(
    states
      .filter((state) => by_state[state] > 0)
      .map((state) => ask<Schemas['OwnerDecisionPage']>(`${LIST}&lifecycle_state=${state}`, { signal })),
  );
  return {
    rows: pages.flatMap(({ items }) => items),
    hasMore: pages.some(({ next_cursor }) => next_cursor !== null),
  };
}

function list(rows: readonly Row[], words: (row: Row) => Child): HTMLElement {
  const items = rows.map((row) => h('li', {}, recordLink(row), h('span', { class: 'about' }, words(row))));
  return h('ul', { class: 'records' }, ...items);
}

function dueWords({ expected_evaluation_at: at, lifecycle_state }: Row): string {
  return at === null ? plain(lifecycle_state) : `outcome expected by ${instant(at)}`;
}

function onlyNewest(): HTMLElement {
  return h(
    'p',
    { class: 'about' },
    'Only the newest hundred of each state are considered. ',
    h('a', { href: '#/own' }, 'All records'),
  );
}
