import { ask } from '../../kit/ask.ts';
import { announce, attempt, isConfirmed, openDialog, renewed } from '../../kit/dialogs.ts';
import { button, fill, h } from '../../kit/elements.ts';
import { choiceField, form, textField, textOf, type Visit } from '../../kit/forms.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { secretPanel } from '../../kit/secrets.ts';
import { showReading } from '../../kit/states.ts';
import { table } from '../../kit/tables.ts';
import { instant } from '../../kit/value-texts.ts';
import { addressOfKey, KEYS, networksOf } from './key-addresses.ts';

const NEW_AGENT = '';

const FOREVER = '';

type Key = Schemas['ApiKey'];
type Agents = ReadonlyMap<string, string>;

const TITLE = 'API keys';

/** The keys of the owner: what each may do, when it was used, and what can be done with it. */
export async function show(view: HTMLElement, visit: Visit): Promise<string> {
  const [secret, list, creation] = [h('div', { tabindex: -1 }), h('div'), h('div')];
  const parts = { secret, list, creation, signal: visit.signal };
  fill(
    view,
    h('h1', { tabindex: -1 }, TITLE),
    h('p', {}, 'An agent submits and reads with a key. Each key belongs to one agent.'),
    secret,
    list,
    h('section', { 'aria-labelledby': 'new-key' }, h('h2', { id: 'new-key' }, 'New key'), creation),
  );
  await showList(parts);
  return TITLE;
}

interface Parts {
  readonly secret: HTMLElement;
  readonly list: HTMLElement;
  readonly creation: HTMLElement;
  readonly signal: AbortSignal;
}

/** The form for a new key comes with the first list, which has the agents. */
async function showList(parts: Parts): Promise<void> {
  const { list, creation, signal } = parts;
  await showReading(list, signal, {
    what: 'your keys',
    async read() {
      const [keys, agents] = await Promise.all([
        ask<Schemas['ApiKeyPage']>(KEYS, { signal }),
        ask<Schemas['AgentList']>('/api/v1/owner/agents?include_archived=true', { signal }),
      ]);
      return { keys: keys.items, agents: new Map(agents.items.map(({ agent_id, name }) => [agent_id, name])) };
    },
    show({ keys, agents }) {
      const isFirst = creation.childElementCount === 0;
      if (isFirst) creation.append(newKeyForm(agents, (key) => showSecret(parts, 'Your new key', key)));
      return keys.length === 0 ? [] : [keyTable(keys, agents, parts)];
    },
    none: 'There is no key. Create one for an agent below.',
  });
}

function keyTable(keys: readonly Key[], agents: Agents, parts: Parts): HTMLElement {
  return table<Key>({
    caption: 'Your keys, the oldest first. Times of use are updated about once a minute.',
    rows: keys,
    columns: [
      {
        title: 'Key',
        cell: ({ key_prefix, label }) => [
          h('code', {}, key_prefix),
          label ? h('span', { class: 'about' }, label) : null,
        ],
      },
      {
        title: 'Agent',
        cell: ({ agent_id }) => (agent_id === null ? 'none: it reads only' : (agents.get(agent_id) ?? agent_id)),
      },
      {
        title: 'May',
        cell: ({ permission_mode, allowed_networks }) => [
          permission_mode === 'read_write' ? 'submit and read' : 'read',
          h('span', { class: 'about' }, allowed_networks ? `from ${allowed_networks.join(', ')}` : 'from all networks'),
        ],
      },
      { title: 'Last used', cell: ({ last_used_at }) => (last_used_at === null ? 'never' : instant(last_used_at)) },
      { title: 'Ends', cell: ({ expires_at }) => (expires_at === null ? 'when revoked' : endWords(expires_at)) },
      { title: 'Actions', kind: 'actions', cell: (key) => actionsOf(key, parts) },
    ],
  });
}

function endWords(expiresAt: string): string {
  return Date.parse(expiresAt) <= Date.now() ? `ended ${instant(expiresAt)}: rotate it` : instant(expiresAt);
}

function actionsOf(key: Key, parts: Parts): HTMLElement {
  const { key_prefix, agent_id } = key;
  return h(
    'div',
    { class: 'buttons' },
    button(
      'Change',
      async () => {
        if (await changeKey(key)) await renewed(parts.list, () => showList(parts));
      },
      { 'aria-label': `Change ${key_prefix}` },
    ),
    agent_id !== null && button('Rotate', () => rotate(key, parts), { 'aria-label': `Rotate ${key_prefix}` }),
    button('Revoke', () => revoke(key, parts), { class: 'danger', 'aria-label': `Revoke ${key_prefix}` }),
  );
}

async function rotate({ key_prefix }: Key, parts: Parts): Promise<void> {
  const isWanted = await isConfirmed({
    title: `Rotate ${key_prefix}?`,
    words: [
      'The key ends at once, without a grace period, and a new one for the same agent takes its place. An agent that still uses the old one is refused until it has the new one.',
    ],
    action: 'Rotate the key',
  });
  if (!isWanted) return;
  await attempt('The key is not rotated', 'The new key is shown.', async () => {
    const key = await ask<Schemas['CreatedKey']>(`${addressOfKey(key_prefix)}/rotate`, { method: 'POST' });
    await showSecret(parts, `The key that replaces ${key_prefix}`, key);
  });
}

async function revoke({ key_prefix }: Key, parts: Parts): Promise<void> {
  const isWanted = await isConfirmed({
    title: `Revoke ${key_prefix}?`,
    words: ['It takes effect at once and for good. Records that were submitted with the key stay.'],
    action: 'Revoke the key',
  });
  if (!isWanted) return;
  const isDone = await attempt('The key is not revoked', `${key_prefix} is revoked.`, () =>
    ask(addressOfKey(key_prefix), { method: 'DELETE' }),
  );
  if (isDone) await renewed(parts.list, () => showList(parts));
}

async function showSecret(parts: Parts, title: string, { api_key }: Schemas['CreatedKey']): Promise<void> {
  const words = 'Copy it now: it is shown only once, and the service does not store it.';
  fill(parts.secret, secretPanel({ title, value: api_key, words }));
  parts.secret.querySelector('h2')?.focus();
  await showList(parts);
}

/** Changes what a key may do and from where, in a dialog. Returns whether it was changed. */
async function changeKey(key: Schemas['ApiKey']): Promise<boolean> {
  const changed = await openDialog<true>(`Change ${key.key_prefix}`, (close) => {
    const mode = choiceField(
      { name: 'permission_mode', label: 'The key may' },
      [
        ['read_write', 'submit and read'],
        ['read_only', 'read only'],
      ],
      key.permission_mode,
    );
    const networks = textField(
      { name: 'allowed_networks', label: 'Only from these networks', hint: 'Separated by commas. Empty: from all.' },
      { value: key.allowed_networks?.join(', ') },
    );
    return [
      form({
        fields: [mode, networks],
        action: 'Change the key',
        extra: [button('Cancel', () => close(null))],
        async send() {
          const allowed = networksOf(networks.control.value);
          const isSame = allowed.join() === (key.allowed_networks ?? []).join();
          const body = {
            permission_mode: mode.control.value,
            ...(isSame ? {} : { allowed_networks: allowed.length === 0 ? null : allowed }),
          };
          await ask(addressOfKey(key.key_prefix), { method: 'PATCH', body });
          announce(`${key.key_prefix} is changed.`);
          close(true);
        },
      }),
    ];
  });
  return changed === true;
}

/** Makes a key for an agent or for a new one. @param created gets the key, which is shown once */
function newKeyForm(
  agents: ReadonlyMap<string, string>,
  created: (key: Schemas['CreatedKey']) => unknown,
): HTMLFormElement {
  const agent = choiceField({ name: 'agent_id', label: 'Agent' }, [
    ...[...agents].map(([id, name]) => [id, `${name} (${id})`] as const),
    [NEW_AGENT, 'A new agent'],
  ]);
  const agentName = textField({ name: 'agent_name', label: 'Name of the new agent' }, { autocomplete: 'off' });
  const mode = choiceField({ name: 'permission_mode', label: 'The key may' }, [
    ['read_write', 'submit and read'],
    ['read_only', 'read only'],
  ]);
  const label = textField({ name: 'label', label: 'Label (optional)', hint: 'For your own list of keys.' });
  const expiry = textField(
    { name: 'expires_at', label: 'Ends on (optional)', hint: 'From 00:00 UTC of that day on the key is refused.' },
    { type: 'date' },
  );
  const networks = textField({
    name: 'allowed_networks',
    label: 'Only from these networks (optional)',
    hint: 'Such as 192.0.2.0/24, separated by commas. Requests from elsewhere are refused.',
  });
  const follow = () => {
    agentName.element.hidden = agent.control.value !== NEW_AGENT;
  };
  agent.control.addEventListener('change', follow);
  follow();
  const made = form({
    fields: [agent, agentName, mode, label, expiry, networks],
    action: 'Create the key',
    async send() {
      const allowed = networksOf(networks.control.value);
      const body = {
        permission_mode: mode.control.value,
        ...(agent.control.value === NEW_AGENT
          ? present('agent_name', textOf(agentName))
          : { agent_id: agent.control.value }),
        ...present('label', textOf(label)),
        ...(expiry.control.value === FOREVER ? {} : { expires_at: `${expiry.control.value}T00:00:00Z` }),
        ...(allowed.length === 0 ? {} : { allowed_networks: allowed }),
      };
      const key = await ask<Schemas['CreatedKey']>(KEYS, { method: 'POST', body });
      made.reset();
      follow();
      await created(key);
    },
  });
  return made;
}

function present(name: string, text: string | undefined): Readonly<Record<string, string>> {
  return text === undefined ? {} : { [name]: text };
}
