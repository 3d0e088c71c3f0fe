import { ask } from '../kit/ask.ts';
import { button, fill, h } from '../kit/elements.ts';
import { showReading } from '../kit/states.ts';
import { type TrackCounts, waysTable } from './track-parts.ts';
import { recordPath, type TrackFilters } from './track-query.ts';

interface Range {
  readonly name: string;
  /** Seconds, both included. */
  readonly from: number;
  readonly to: number | null;
}

const [HOUR, DAY] = [3_600, 86_400];

/** Every horizon in seconds is in one of them. */
export const RANGES: readonly Range[] = [
  { name: 'up to an hour', from: 0, to: HOUR },
  { name: 'up to a day', from: HOUR + 1, to: DAY },
  { name: 'up to a week', from: DAY + 1, to: 7 * DAY },
  { name: 'up to 30 days', from: 7 * DAY + 1, to: 30 * DAY },
  { name: 'longer', from: 30 * DAY + 1, to: null },
];

/**
 * Counts by the length of the horizon, when they are asked for: each row is a reply of its own. Nothing where the filters
 * name a range already.
 */
export function horizonsPart(
  agentId: string,
  filters: TrackFilters,
  origin: 'realtime' | 'retroactive',
  signal: AbortSignal,
): HTMLElement | null {
  if (filters.holding_seconds_min !== undefined || filters.holding_seconds_max !== undefined) return null;
  const box = h('div');
  const count = () =>
    showReading(box, signal, {
      what: 'the counts by horizon',
      read: (aborted) => Promise.all(RANGES.map((range) => countsOf(agentId, filters, origin, range, aborted))),
      show: (rows) => [waysTable('horizon', rows)],
    });
  fill(box, button('Count by horizon', count));
  return h(
    'section',
    { class: 'facts' },
    h('h2', {}, 'By horizon'),
    h('p', { class: 'soft' }, 'One reply for each row. Horizons in trading days are in no row.'),
    box,
  );
}

async function countsOf(
  agentId: string,
  filters: TrackFilters,
  origin: 'realtime' | 'retroactive',
  { name, from, to }: Range,
  signal: AbortSignal,
) {
  const range = { holding_seconds_min: String(from), ...(to !== null && { holding_seconds_max: String(to) }) };
  const path = recordPath(agentId, { ...filters, ...range });
  const record = await ask<TrackCounts & { readonly retroactive: TrackCounts }>(path, { signal });
  return { name, ...(origin === 'realtime' ? record : record.retroactive) };
}
