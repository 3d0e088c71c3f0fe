import { ask } from '../../kit/ask.ts';
import { choiceField, form, textField, textOf } from '../../kit/forms.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { KEYS, networksOf } from './key-addresses.ts';

const NEW_AGENT = '';
const FOREVER = '';

/** Makes a key for an agent or for a new one. @param created gets the key, which is shown once */
export function newKeyForm(
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
