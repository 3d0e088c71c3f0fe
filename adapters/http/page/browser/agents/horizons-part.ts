import { ask } from '../kit/ask.ts';
import { button, fill, h } from '../kit/elements.ts';
import { showReading } from '../kit/states.ts';
import { type TrackCounts, waysTable } from './track-parts.ts';
import { HORIZON_RANGES, type HorizonRange, recordPath, type TrackFilters } from './track-query.ts';

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
      read: (aborted) => Promise.all(HORIZON_RANGES.map((range) => countsOf(agentId, filters, origin, range, aborted))),
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
  { name, from, to }: HorizonRange,
  signal: AbortSignal,
) {
  const range = { holding_seconds_min: String(from), ...(to !== null && { holding_seconds_max: String(to) }) };
  const path = recordPath(agentId, { ...filters, ...range });
  const record = await ask<TrackCounts & { readonly retroactive: TrackCounts }>(path, { signal });
  return { name, ...(origin === 'realtime' ? record : record.retroactive) };
}
