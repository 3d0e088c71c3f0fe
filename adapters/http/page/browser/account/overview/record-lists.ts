import { ask } from '../../kit/ask.ts';
import { type Child, h } from '../../kit/elements.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { timeFrom } from '../../kit/shown-values.ts';
import { showNewest } from '../../kit/states.ts';
import { horizon, instant, instrument, percent, plain } from '../../kit/value-texts.ts';
import { listAddress } from '../../records/decision-query.ts';
import { gradedAt } from './overview-parts.ts';
import type { Reads } from './overview-reads.ts';
import { dueNext, troubleWords } from './overview-words.ts';

type Row = Schemas['OwnerDecisionSummary'];
type State = keyof Schemas['CountByState'];

const SHOWN = 5;
const LIST = '/api/v1/owner/decisions?limit=100';

/** The open records whose outcome is expected first. */
export async function showDue(box: HTMLElement, signal: AbortSignal, reads: Reads): Promise<void> {
  await showNewest(box, signal, {
    what: 'what is due',
    read: () => rowsIn(['verified', 'evaluating'], reads, signal),
    show({ rows, hasMore }) {
      const due = dueNext(rows).slice(0, SHOWN);
      const words = (row: Row) => [timeFrom(row.expected_evaluation_at ?? '')];
      return due.length === 0 ? [] : [list(due, words), hasMore && onlyNewest()];
    },
    none: 'No grade is expected of what is open.',
  });
}

/** The outcomes that were made last. */
export async function showNewestOutcomes(box: HTMLElement, signal: AbortSignal, { newest }: Reads): Promise<void> {
  await showNewest(box, signal, {
    what: 'the newest outcomes',
    read: newest,
    show(rows) {
      const shown = rows.toSorted((a, b) => gradedAt(b) - gradedAt(a)).slice(0, SHOWN);
      return shown.length === 0 ? [] : [list(shown, outcomeWords)];
    },
    none: 'No decision of this range is graded.',
  });
}

function outcomeWords({ result_bucket, path, evaluation: { evaluated_at } }: Row): readonly Child[] {
  const value = path && (path.directional_return ?? path.raw_return);
  return [
    h(
      'span',
      { class: 'result' },
      h('span', { class: `mark ${result_bucket}`, 'aria-hidden': 'true' }),
      plain(result_bucket ?? ''),
    ),
    value !== null && ` ${percent(value)}, `,
    evaluated_at && timeFrom(evaluated_at),
  ];
}

/** Records that wait for prices, or have none, with the reason and what can be done. */
export async function showTroubled(box: HTMLElement, signal: AbortSignal, reads: Reads): Promise<void> {
  const states = ['deferred', 'pending_verify', 'data_unavailable', 'rejected', 'quarantined'] as const;
  await showNewest(box, signal, {
    what: 'what waits',
    read: () => rowsIn(states, reads, signal),
    show: ({ rows }) =>
      rows.length === 0
        ? []
        : [
            list(rows.slice(0, SHOWN), (row) => [troubleWords(row, instant)]),
            rows.length > SHOWN &&
              h('p', { class: 'about' }, `${SHOWN} of ${rows.length} are shown; the counts above lead to all.`),
          ],
    none: 'Nothing: every record is graded, or waits only for the end of its window.',
  });
}

interface Rows {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

/** The records in these states; a state without a record is not asked for. */
async function rowsIn(states: readonly State[], { counts }: Reads, signal: AbortSignal): Promise<Rows> {
  const { by_state } = (await counts()).decisions;
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

function list(rows: readonly Row[], words: (row: Row) => readonly Child[]): HTMLElement {
  const items = rows.map((row) =>
    h(
      'li',
      {},
      h('a', { href: `#/records/${row.record_id}` }, h('b', {}, instrument(row)), ` ${row.direction}, ${horizon(row)}`),
      h('span', { class: 'about' }, ...words(row)),
    ),
  );
  return h('ul', { class: 'short-list' }, ...items);
}

function onlyNewest(): HTMLElement {
  return h(
    'p',
    { class: 'about' },
    'Among the newest hundred that are open. ',
    h('a', { href: listAddress({ lifecycle_state: 'verified' }) }, 'All of them'),
  );
}
