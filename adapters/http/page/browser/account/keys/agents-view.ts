import { ask } from '../../kit/ask.ts';
import { attempt } from '../../kit/dialogs.ts';
import { h } from '../../kit/elements.ts';
import { listView } from '../../kit/lists.ts';
import type { Schemas } from '../../kit/schemas.ts';
import type { Column, RowAction } from '../../kit/tables.ts';
import { counted, instant } from '../../kit/value-texts.ts';

type Agent = Schemas['Agent'];

const AGENTS = '/api/v1/owner/agents';

/** The agents of the owner with the counts of their records; those that are no longer used are archived or removed. */
export const show = listView<Agent>(() => ({
  title: 'Agents',
  about: h(
    'p',
    {},
    'An agent is added with its first key, under ',
    h('a', { href: '#/keys' }, 'API keys'),
    '. Its name is shown only to you.',
  ),
  path: AGENTS,
  query: () => ({ include_archived: 'true' }),
  what: 'your agents',
  caption: 'Your agents, the oldest first. The counts may be five minutes old.',
  none: 'There is no agent. Create a key for a new one.',
  more: 'Show more agents',
  columns: [
    { title: 'Agent', cell: nameOf },
    { title: 'Keys', kind: 'number', cell: ({ keys }) => String(keys.length) },
    countColumn('Submitted', 'submission_count'),
    countColumn('Graded', 'evaluated_count'),
    countColumn('Pending', 'pending_count'),
  ],
  actions: (agent) => [
    agent.archived_at === null ? archive(agent) : restore(agent),
    !hasRecords(agent) && remove(agent),
  ],
}));

/** Realtime records, and retroactive ones where there are any. */
function countColumn(title: string, count: 'submission_count' | 'evaluated_count' | 'pending_count'): Column<Agent> {
  return {
    title,
    kind: 'number',
    cell: ({ track_record: { [count]: realtime, retroactive } }) => [
      realtime.toLocaleString('en-GB'),
      retroactive[count] > 0 &&
        h('span', { class: 'about' }, `and ${retroactive[count].toLocaleString('en-GB')} retroactive`),
    ],
  };
}

function nameOf({ agent_id, name, archived_at }: Agent) {
  const state = archived_at === null ? '' : `, archived ${instant(archived_at)}`;
  return [name, h('span', { class: 'about' }, h('code', {}, agent_id), state)];
}

function restore({ agent_id, name }: Agent): RowAction {
  const send = () => ask(`${AGENTS}/${agent_id}/restore`, { method: 'POST' });
  return {
    label: 'Bring back',
    of: name,
    run: () => attempt(`${name} stays archived`, `${name} is back. It has no keys: create one.`, send),
  };
}

function archive({ agent_id, name, keys }: Agent): RowAction {
  const send = () => ask(`${AGENTS}/${agent_id}/archive`, { method: 'POST' });
  const question = {
    title: `Archive ${name}?`,
    words: [
      `Its keys (${counted(keys.length, 'key')}) are revoked for good, and it makes room for another agent. Its records stay: they are graded, public and counted as before.`,
    ],
    action: 'Archive the agent',
  };
  return {
    label: 'Archive',
    of: name,
    run: () => attempt(`${name} is not archived`, `${name} is archived.`, send, question),
  };
}

function remove({ agent_id, name }: Agent): RowAction {
  const send = () => ask(`${AGENTS}/${agent_id}`, { method: 'DELETE' });
  const question = {
    title: `Remove ${name}?`,
    words: ['It has never submitted. It is removed with its keys, for good.'],
    action: 'Remove the agent',
  };
  return {
    label: 'Remove',
    of: name,
    isDangerous: true,
    run: () => attempt(`${name} is not removed`, `${name} is removed.`, send, question),
  };
}

function hasRecords({ track_record: { submission_count, retroactive } }: Agent): boolean {
  return submission_count + retroactive.submission_count > 0;
}
