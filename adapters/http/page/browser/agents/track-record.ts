import { ask } from '../kit/ask.ts';
import { fill, h } from '../kit/elements.ts';
import { choiceField, form, textField, textOf, type Visit } from '../kit/forms.ts';
import { showReading } from '../kit/states.ts';
import { exportLink } from '../kit/tables.ts';
import { counted } from '../kit/value-texts.ts';
import { listPath } from '../records/decision-query.ts';
import { goTo } from '../shell/arrival.ts';
import type { ListedAgent } from './counts.ts';
import { horizonsPart } from './horizons-part.ts';
import { gradedRows, type ListedRow } from './month-drawing.ts';
import {
  confidencePart,
  directionsPart,
  monthsPart,
  rowsPart,
  symbolsPart,
  type TrackCounts,
  totalsPart,
} from './track-parts.ts';
import { originOf, recordPath, type TrackFilters, trackAddress, trackFilters } from './track-query.ts';

interface TrackRecord extends TrackCounts {
  readonly retroactive: TrackCounts;
}

interface Read {
  readonly name: string;
  readonly record: TrackRecord;
  readonly rows: readonly ListedRow[];
}

/** The most that the service lists at once. */
const MOST = 100;

/** The counts of one agent, of decisions that were stated before the prices were known, or after. */
export async function showTrackRecord(
  view: HTMLElement,
  { rest: agentId, query, signal, again, rename }: Visit,
): Promise<string> {
  const filters = trackFilters(query);
  const box = h('div');
  const heading = h('h1', { tabindex: -1 }, agentId);
  fill(
    view,
    h('p', { class: 'crumbs' }, h('a', { href: '#/track' }, 'Track records'), ' / ', h('span', {}, agentId)),
    heading,
    box,
  );
  let title = 'Track record';
  await showReading(box, signal, {
    what: 'the track record',
    read: (aborted) => readAll(agentId, filters, aborted),
    show(found) {
      title = `Track record of ${found.name}`;
      rename(title);
      fill(heading, found.name);
      return shown(agentId, filters, found, signal, again);
    },
  });
  return title;
}

async function readAll(agentId: string, filters: TrackFilters, signal: AbortSignal): Promise<Read> {
  const { symbol, direction } = filters;
  const listed = { agent_id: agentId, lifecycle_state: 'evaluated', include_archived: 'true' };
  const same = { ...(symbol && { symbol }), ...(direction && { direction }) };
  const [record, { items: rows }, { items: agents }] = await Promise.all([
    ask<TrackRecord>(recordPath(agentId, filters), { signal }),
    ask<{ readonly items: readonly ListedRow[] }>(listPath({ ...listed, ...same }, null, MOST), { signal }),
    ask<{ readonly items: readonly ListedAgent[] }>('/api/v1/owner/agents?include_archived=true', { signal }),
  ]);
  const name = agents.find(({ agent_id }) => agent_id === agentId)?.name ?? agentId;
  return { name, record, rows };
}

function shown(
  agentId: string,
  filters: TrackFilters,
  { record, rows }: Read,
  signal: AbortSignal,
  again: () => void,
): readonly Node[] {
  const origin = originOf(filters, record.submission_count);
  const counts = origin === 'realtime' ? record : record.retroactive;
  const parts = [
    totalsPart(counts),
    monthsPart(counts),
    symbolsPart(counts),
    directionsPart(counts),
    horizonsPart(agentId, filters, origin, signal),
    confidencePart(counts),
    ...rowsPart(gradedRows(rows, origin), rows.length, counts),
  ];
  const none = h('p', { class: 'notice' }, 'No decision matches. Leave a filter out, or show the other kind.');
  return [
    originLinks(agentId, filters, origin, record),
    filterForm(agentId, filters, again),
    ...(counts.submission_count === 0 ? [none] : parts.filter((part) => part !== null)),
    h('p', {}, h('a', { href: `#/own?agent_id=${agentId}` }, 'The decisions of this agent as a list')),
    h(
      'p',
      { class: 'soft' },
      exportLink(`/api/v1/owner/record-proof?agent_id=${agentId}`, { download: true }, 'Prove this whole record'),
      ': a file for others, in which no decision can be left out. They will recognise the next one of this agent in the log.',
    ),
  ];
}

function originLinks(agentId: string, filters: TrackFilters, chosen: string, record: TrackRecord): HTMLElement {
  const link = (origin: 'realtime' | 'retroactive', words: string, count: number) =>
    h(
      'li',
      {},
      h(
        'a',
        { href: trackAddress(agentId, { ...filters, origin }), 'aria-current': origin === chosen && 'true' },
        words,
      ),
      ` ${counted(count, 'decision')}`,
    );
  return h(
    'ul',
    { class: 'tabs' },
    link('realtime', 'Stated before the prices were known', record.submission_count),
    link('retroactive', 'Stated after', record.retroactive.submission_count),
  );
}

const ANY = ['', 'any'] as const;

function filterForm(agentId: string, filters: TrackFilters, again: () => void): HTMLElement {
  const symbol = textField(
    { name: 'symbol', label: 'Symbol' },
    { value: filters.symbol, autocomplete: 'off', placeholder: 'MSFT' },
  );
  const options = [ANY, ...['bullish', 'bearish', 'neutral'].map((each) => [each, each] as const)];
  const direction = choiceField({ name: 'direction', label: 'Direction' }, options, filters.direction);
  const from = textField({ name: 'date_from', label: 'Submitted from' }, { type: 'date', value: filters.date_from });
  const to = textField({ name: 'date_to', label: 'to' }, { type: 'date', value: filters.date_to });
  const least = textField(
    { name: 'holding_seconds_min', label: 'Horizon from, seconds' },
    { inputmode: 'numeric', value: filters.holding_seconds_min },
  );
  const most = textField(
    { name: 'holding_seconds_max', label: 'to' },
    { inputmode: 'numeric', value: filters.holding_seconds_max },
  );
  const all = [symbol, direction, from, to, least, most];
  const filtering = form({
    fields: all,
    action: 'Count',
    class: 'filters',
    async send() {
      const chosen = Object.fromEntries(all.flatMap((field) => (textOf(field) ? [[field.name, textOf(field)]] : [])));
      const address = trackAddress(agentId, { ...(filters.origin && { origin: filters.origin }), ...chosen });
      if (address === location.hash) again();
      else goTo(address);
    },
  });
  const { origin: _, ...narrowing } = filters;
  const isOpen = Object.keys(narrowing).length > 0;
  return h('details', { class: 'filtering', open: isOpen }, h('summary', {}, 'Count a part'), filtering);
}
