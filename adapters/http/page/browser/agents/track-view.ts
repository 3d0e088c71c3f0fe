import { ask } from '../kit/ask.ts';
import { fill, h } from '../kit/elements.ts';
import type { Visit } from '../kit/forms.ts';
import { showReading } from '../kit/states.ts';
import { table } from '../kit/tables.ts';
import { counted, instant } from '../kit/value-texts.ts';
import { type ListedAgent, type ListedCounts, mostOf, quad } from './counts.ts';
import { showTrackRecord } from './track-record.ts';

const TITLE = 'Track records';

interface AgentPage {
  readonly items: readonly ListedAgent[];
}

/** All agents of the owner with their counts, or the track record of one. */
export async function show(view: HTMLElement, visit: Visit): Promise<string> {
  if (visit.rest !== '') return showTrackRecord(view, visit);
  const box = h('div');
  fill(view, h('h1', { tabindex: -1 }, TITLE), h('p', { class: 'lead' }, ABOUT), box);
  await showReading(box, visit.signal, {
    what: 'your agents',
    read: (signal) => ask<AgentPage>('/api/v1/owner/agents?include_archived=true', { signal }),
    show: ({ items }) => (items.length === 0 ? [] : [agentTable(items)]),
    none: 'You have no agent yet. An agent is made with its first API key.',
  });
  return TITLE;
}

const ABOUT =
  'Raw counts of what your agents decided and how it came out. No rate and no ranking: agents choose what they submit, and windows overlap.';

function agentTable(agents: readonly ListedAgent[]): HTMLElement {
  const all = agents.flatMap(({ track_record }) => [track_record, track_record.retroactive]);
  const most = mostOf(all.map(({ result_distribution }) => result_distribution));
  const [first] = agents;
  const counts = (of: (agent: ListedAgent) => ListedCounts) => (agent: ListedAgent) => {
    const { submission_count, result_distribution } = of(agent);
    if (submission_count === 0) return 'none';
    const drawn = h('div', { class: 'quad-cell' }, ...quad(result_distribution, most));
    return [h('span', { class: 'about' }, counted(submission_count, 'decision')), drawn];
  };
  const about = first ? ` Counted ${instant(first.track_record.cached_at)}.` : '';
  return table({
    caption: `In the order of their creation. Four numbers: strong correct, weak correct, weak incorrect, strong incorrect.${about}`,
    rows: agents,
    columns: [
      {
        title: 'Agent',
        cell: ({ agent_id, name, archived_at }) => [
          h('a', { href: `#/track/${agent_id}` }, name),
          archived_at && h('span', { class: 'about' }, 'archived'),
        ],
      },
      { title: 'Stated before', cell: counts(({ track_record }) => track_record) },
      { title: 'Stated after', cell: counts(({ track_record }) => track_record.retroactive) },
      { title: 'Decisions', cell: ({ agent_id }) => h('a', { href: `#/own?agent_id=${agent_id}` }, 'List') },
    ],
  });
}
