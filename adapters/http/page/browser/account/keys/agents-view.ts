import { ask } from '../../kit/ask.ts';
import { attempt, isConfirmed, renewed } from '../../kit/dialogs.ts';
import { button, fill, h } from '../../kit/elements.ts';
import type { Visit } from '../../kit/forms.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { showReading } from '../../kit/states.ts';
import { type Column, pagedTable, type WirePage } from '../../kit/tables.ts';
import { counted, instant } from '../../kit/value-texts.ts';

type Agent = Schemas['Agent'];

const TITLE = 'Agents';
const AGENTS = '/api/v1/owner/agents';

/** The agents of the owner with the counts of their records; those that are no longer used are archived or removed. */
export async function show(view: HTMLElement, { signal }: Visit): Promise<string> {
  const list = h('div');
  fill(
    view,
    h('h1', { tabindex: -1 }, TITLE),
    h(
      'p',
      {},
      'An agent is added with its first key, under ',
      h('a', { href: '#/keys' }, 'API keys'),
      '. Its name is shown only to you.',
    ),
    list,
  );
  await showList(list, signal);
  return TITLE;
}

function showList(list: HTMLElement, signal: AbortSignal): Promise<unknown> {
  const read = (cursor?: string) => {
    const query = new URLSearchParams({ include_archived: 'true', ...(cursor === undefined ? {} : { cursor }) });
    return ask<WirePage<Agent>>(`${AGENTS}?${query}`, { signal });
  };
  return showReading(list, signal, {
    what: 'your agents',
    read: () => read(),
    show: (first) => (first.items.length === 0 ? [] : agentTable(first)),
    none: 'There is no agent. Create a key for a new one.',
  });

  function agentTable(first: WirePage<Agent>): readonly HTMLElement[] {
    return pagedTable<Agent>({
      caption: 'Your agents, the oldest first. The counts may be five minutes old.',
      first,
      next: read,
      more: 'Show more agents',
      signal,
      columns: [
        { title: 'Agent', cell: nameOf },
        { title: 'Keys', kind: 'number', cell: ({ keys }) => String(keys.length) },
        countColumn('Submitted', 'submission_count'),
        countColumn('Graded', 'evaluated_count'),
        countColumn('Pending', 'pending_count'),
        { title: 'Actions', kind: 'actions', cell: (agent) => actionsOf(agent, list, signal) },
      ],
    });
  }
}

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

function actionsOf(agent: Agent, list: HTMLElement, signal: AbortSignal): HTMLElement {
  const { agent_id, name, archived_at } = agent;
  const change = async (failed: string, done: string, action: () => Promise<unknown>) => {
    if (await attempt(failed, done, action)) await renewed(list, () => showList(list, signal));
  };
  const restore = () =>
    change(`${name} stays archived`, `${name} is back. It has no keys: create one.`, () =>
      ask(`${AGENTS}/${agent_id}/restore`, { method: 'POST' }),
    );
  const archive = async () => {
    if (!(await isArchivingWanted(agent))) return;
    await change(`${name} is not archived`, `${name} is archived.`, () =>
      ask(`${AGENTS}/${agent_id}/archive`, { method: 'POST' }),
    );
  };
  const remove = async () => {
    if (!(await isRemovalWanted(agent))) return;
    await change(`${name} is not removed`, `${name} is removed.`, () =>
      ask(`${AGENTS}/${agent_id}`, { method: 'DELETE' }),
    );
  };
  return h(
    'div',
    { class: 'buttons' },
    archived_at === null
      ? button('Archive', archive, { 'aria-label': `Archive ${name}` })
      : button('Bring back', restore, { 'aria-label': `Bring back ${name}` }),
    !hasRecords(agent) && button('Remove', remove, { class: 'danger', 'aria-label': `Remove ${name}` }),
  );
}

function hasRecords({ track_record: { submission_count, retroactive } }: Agent): boolean {
  return submission_count + retroactive.submission_count > 0;
}

function isArchivingWanted({ name, keys }: Agent): Promise<boolean> {
  return isConfirmed({
    title: `Archive ${name}?`,
    words: [
      `Its keys (${counted(keys.length, 'key')}) are revoked for good, and it makes room for another agent. Its records stay: they are graded, public and counted as before.`,
    ],
    action: 'Archive the agent',
  });
}

function isRemovalWanted({ name }: Agent): Promise<boolean> {
  return isConfirmed({
    title: `Remove ${name}?`,
    words: ['It has never submitted. It is removed with its keys, for good.'],
    action: 'Remove the agent',
  });
}
