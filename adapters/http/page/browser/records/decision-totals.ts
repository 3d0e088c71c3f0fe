import { ask } from '../kit/ask.ts';
import { RESULT_BUCKETS } from '../kit/domain.ts';
import { type Child, h, refill } from '../kit/elements.ts';
import type { NamedAgent } from '../kit/lists.ts';
import type { Schemas } from '../kit/schemas.ts';
import { counted, plain } from '../kit/value-texts.ts';
import { type Filters, listAddress, totalsPath } from './decision-query.ts';

type Counts = Schemas['TrackRecord']['all_agents']['retroactive'];

/**
 * How many decisions the filters select, those stated before the prices were known apart from the others; nothing where
 * no track record counts them, or it cannot be read.
 */
export async function showTotals(
  box: HTMLElement,
  filters: Filters,
  agents: readonly NamedAgent[],
  signal: AbortSignal,
): Promise<void> {
  const path = agents[0] && totalsPath(filters, agents[0].agent_id);
  if (!path) return;
  const record = await ask<Schemas['TrackRecord']>(path, { signal }).catch(() => null);
  if (record === null || signal.aborted) return;
  const realtime = filters.agent_id === undefined ? record.all_agents : record;
  refill(
    box,
    ...totalLines(
      [
        ['realtime', realtime],
        ['retroactive', realtime.retroactive],
      ],
      filters,
    ),
  );
}

function totalLines(lines: readonly (readonly [words: string, counts: Counts])[], filters: Filters): readonly Child[] {
  const counted = lines.filter(([, { submission_count }]) => submission_count > 0);
  return counted.map(([words, counts]) => totalLine(words, counts, filters));
}

function totalLine(words: string, counts: Counts, filters: Filters): HTMLElement {
  const { submission_count, evaluated_count, pending_count, unavailable_count, result_distribution } = counts;
  const rest = [`${evaluated_count.toLocaleString('en-GB')} graded`];
  const open = pending_count === 0 ? [] : [`${pending_count.toLocaleString('en-GB')} open`];
  const without =
    unavailable_count === 0 ? [] : [`${unavailable_count.toLocaleString('en-GB')} without an outcome that counts`];
  const buckets = RESULT_BUCKETS.map((bucket) =>
    h(
      'a',
      { id: `total-${words}-${bucket}`, class: 'chip', href: listAddress({ ...filters, result_bucket: bucket }) },
      h('span', { class: `mark ${bucket}`, 'aria-hidden': 'true' }),
      `${result_distribution[bucket].toLocaleString('en-GB')} ${plain(bucket)}`,
    ),
  );
  return h(
    'p',
    { class: 'total' },
    h(
      'span',
      {},
      h('b', {}, counted(submission_count, `${words} decision`)),
      `: ${[...rest, ...open, ...without].join(', ')}`,
    ),
    ...(evaluated_count > 0 ? buckets : []),
  );
}
