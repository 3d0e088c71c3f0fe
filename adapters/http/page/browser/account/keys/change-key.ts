import { announce } from '../../kit/announcements.ts';
import { ask } from '../../kit/ask.ts';
import { openDialog } from '../../kit/dialogs.ts';
import { button } from '../../kit/elements.ts';
import { choiceField, form, textField } from '../../kit/forms.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { addressOfKey, networksOf } from './key-addresses.ts';

/** Changes what a key may do and from where, in a dialog. Returns whether it was changed. */
export async function changeKey(key: Schemas['ApiKey']): Promise<boolean> {
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
