import { ask } from '../../kit/ask.ts';
import { attempt, formDialog } from '../../kit/dialogs.ts';
import { fill, h } from '../../kit/elements.ts';
import { choiceField, form, textField, textOf, type Visit } from '../../kit/forms.ts';
import { type List, listIn } from '../../kit/lists.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { secretPanel } from '../../kit/secrets.ts';
import type { Column } from '../../kit/tables.ts';
import { instant, networksOf } from '../../kit/value-texts.ts';

const KEYS = '/api/v1/owner/auth/api-keys';

const NEW_AGENT = '';

const FOREVER = '';

type Key = Schemas['ApiKey'];

/** A key with the name of its agent; null: it belongs to none. */
interface NamedKey extends Key {
  readonly agent: string | null;
}

interface Parts {
  readonly secret: HTMLElement;
  readonly creation: HTMLElement;
  readonly signal: AbortSignal;
}

/** The keys of the owner: what each may do, when it was used, and what can be done with it. */
export async function show(view: HTMLElement, { signal }: Visit): Promise<string> {
  const [secret, list, creation] = [h('div', { tabindex: -1 }), h('div'), h('div')];
  const read: () => Promise<unknown> = listIn(
    list,
    signal,
    keyList({ secret, creation, signal }, () => read()),
  );
  fill(
    view,
    h('h1', { tabindex: -1 }, 'API keys'),
    h('p', {}, 'An agent submits and reads with a key. Each key belongs to one agent.'),
    secret,
    list,
    h('section', { 'aria-labelledby': 'new-key' }, h('h2', { id: 'new-key' }, 'New key'), creation),
  );
  await read();
  return 'API keys';
}

function keyList({ secret, creation, signal }: Parts, read: () => Promise<unknown>): List<NamedKey> {
  const created = async (title: string, { api_key }: Schemas['CreatedKey']) => {
    const words = 'Copy it now: it is shown only once, and the service does not store it.';
    fill(secret, secretPanel({ title, value: api_key, words }));
    secret.querySelector('h2')?.focus();
    await read();
  };
  return {
    path: KEYS,
    what: 'your keys',
    caption: 'Your keys, the oldest first. Times of use are updated about once a minute.',
    none: 'There is no key. Create one for an agent below.',
    more: 'Show more keys',
    async read(address) {
      const [keys, { items }] = await Promise.all([
        ask<Schemas['ApiKeyPage']>(address, { signal }),
        ask<Schemas['AgentList']>('/api/v1/owner/agents?include_archived=true', { signal }),
      ]);
      const agents = new Map(items.map(({ agent_id, name }) => [agent_id, name]));
      // The form comes with the first list, because it offers the agents.
      if (creation.childElementCount === 0) creation.append(newKeyForm(agents, (key) => created('Your new key', key)));
      const named = keys.items.map((key) => ({ ...key, agent: agents.get(key.agent_id ?? '') ?? key.agent_id }));
      return { ...keys, items: named };
    },
    columns: KEY_COLUMNS,
    actions: (key) => [
      { label: 'Change', of: key.key_prefix, run: () => changeKey(key) },
      key.agent_id !== null && { label: 'Rotate', of: key.key_prefix, run: () => rotate(key, created) },
      { label: 'Revoke', of: key.key_prefix, isDangerous: true, run: () => revoke(key) },
    ],
  };
}

const KEY_COLUMNS: readonly Column<NamedKey>[] = [
  {
    title: 'Key',
    cell: ({ key_prefix, label }) => [h('code', {}, key_prefix), label ? h('span', { class: 'about' }, label) : null],
  },
  { title: 'Agent', cell: ({ agent }) => agent ?? 'none: it reads only' },
  {
    title: 'May',
    cell: ({ permission_mode, allowed_networks }) => [
      permission_mode === 'read_write' ? 'submit and read' : 'read',
      h('span', { class: 'about' }, allowed_networks ? `from ${allowed_networks.join(', ')}` : 'from all networks'),
    ],
  },
  { title: 'Last used', cell: ({ last_used_at }) => (last_used_at === null ? 'never' : instant(last_used_at)) },
  { title: 'Ends', cell: ({ expires_at }) => (expires_at === null ? 'when revoked' : endWords(expires_at)) },
];

function endWords(expiresAt: string): string {
  return Date.parse(expiresAt) <= Date.now() ? `ended ${instant(expiresAt)}: rotate it` : instant(expiresAt);
}

type Created = (title: string, key: Schemas['CreatedKey']) => Promise<void>;

/** The list is read with the new key, so nothing is left to be read. */
async function rotate({ key_prefix }: Key, created: Created): Promise<boolean> {
  const send = async () => {
    const key = await ask<Schemas['CreatedKey']>(`${addressOfKey(key_prefix)}/rotate`, { method: 'POST' });
    await created(`The key that replaces ${key_prefix}`, key);
  };
  await attempt('The key is not rotated', 'The new key is shown.', send, {
    title: `Rotate ${key_prefix}?`,
    words: [
      'The key ends at once, without a grace period, and a new one for the same agent takes its place. An agent that still uses the old one is refused until it has the new one.',
    ],
    action: 'Rotate the key',
  });
  return false;
}

function revoke({ key_prefix }: Key): Promise<boolean> {
  const send = () => ask(addressOfKey(key_prefix), { method: 'DELETE' });
  return attempt('The key is not revoked', `${key_prefix} is revoked.`, send, {
    title: `Revoke ${key_prefix}?`,
    words: ['It takes effect at once and for good. Records that were submitted with the key stay.'],
    action: 'Revoke the key',
  });
}

/** Changes what a key may do and from where. */
function changeKey(key: Key): Promise<boolean> {
  const mode = choiceField({ name: 'permission_mode', label: 'The key may' }, MODES, key.permission_mode);
  const networks = textField(
    { name: 'allowed_networks', label: 'Only from these networks', hint: 'Separated by commas. Empty: from all.' },
    { value: key.allowed_networks?.join(', ') },
  );
  return formDialog({
    title: `Change ${key.key_prefix}`,
    fields: [mode, networks],
    action: 'Change the key',
    done: `${key.key_prefix} is changed.`,
    send() {
      const allowed = networksOf(networks.control.value);
      const isSame = allowed.join() === (key.allowed_networks ?? []).join();
      const body = {
        permission_mode: mode.control.value,
        ...(isSame ? {} : { allowed_networks: allowed.length === 0 ? null : allowed }),
      };
      return ask(addressOfKey(key.key_prefix), { method: 'PATCH', body });
    },
  });
}

const MODES = [
  ['read_write', 'submit and read'],
  ['read_only', 'read only'],
] as const;

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
  const mode = choiceField({ name: 'permission_mode', label: 'The key may' }, MODES);
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

function addressOfKey(prefix: string): string {
  return `${KEYS}/${encodeURIComponent(prefix)}`;
}
