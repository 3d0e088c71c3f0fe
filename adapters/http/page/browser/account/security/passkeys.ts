import { attempt } from '../../kit/actions.ts';
import { announce } from '../../kit/announcements.ts';
import { ask } from '../../kit/ask.ts';
import { isConfirmed, openDialog } from '../../kit/dialogs.ts';
import { button, type Child, h } from '../../kit/elements.ts';
import { form, textField } from '../../kit/forms.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { table } from '../../kit/tables.ts';
import { instant } from '../../kit/value-texts.ts';
import { hasPasskeys, makePasskey } from './passkey-browser.ts';

const PASSKEYS = '/api/v1/owner/auth/factors/passkeys';

type Passkey = Schemas['Passkey'];

interface Changed {
  /** A passkey was added, with the recovery codes of a first factor. */
  added(codes: readonly string[]): Promise<void>;
  /** One was renamed or removed. */
  changed(): Promise<void>;
}

/** The passkeys of the account: add, rename and remove them. */
export function passkeyPart(passkeys: readonly Passkey[], then: Changed): readonly Child[] {
  return [
    h('h3', {}, 'Passkeys'),
    h(
      'p',
      {},
      'A passkey signs you in by itself: your device keeps it, and verifies you by a fingerprint, a face or a PIN.',
    ),
    passkeys.length === 0 ? h('p', {}, 'You have none.') : passkeyTable(passkeys, then),
    hasPasskeys()
      ? newPasskey(then)
      : h('p', { class: 'soft' }, 'This browser makes no passkeys: open this page in another one.'),
  ];
}

function passkeyTable(rows: readonly Passkey[], then: Changed): HTMLElement {
  return table<Passkey>({
    caption: 'Your passkeys, the oldest first.',
    rows,
    columns: [
      { title: 'Name', cell: ({ name }) => name },
      { title: 'Kept', cell: ({ synced }) => (synced ? 'on all your devices' : 'on one device') },
      { title: 'Added', cell: ({ created_at }) => instant(created_at) },
      { title: 'Last used', cell: ({ last_used_at: at }) => (at === null ? 'never' : instant(at)) },
      { title: 'Actions', kind: 'actions', cell: (passkey) => actionsOf(passkey, then) },
    ],
  });
}

function actionsOf(passkey: Passkey, then: Changed): HTMLElement {
  const { name } = passkey;
  return h(
    'div',
    { class: 'buttons' },
    button('Rename', () => rename(passkey, then), { 'aria-label': `Rename ${name}` }),
    button('Remove', () => remove(passkey, then), { 'aria-label': `Remove ${name}`, class: 'danger' }),
  );
}

function newPasskey({ added }: Changed): HTMLElement {
  const name = textField(
    { name: 'name', label: 'Name of the new passkey', hint: 'Such as that of the device. All other sessions end.' },
    { required: true, autocomplete: 'off' },
  );
  return form({
    fields: [name],
    action: 'Add a passkey',
    class: 'narrow',
    async send() {
      const options = await ask<Schemas['PasskeyCreationOptions']>(`${PASSKEYS}/options`, { method: 'POST' });
      const body = { name: name.control.value, passkey: await makePasskey(options) };
      const { recovery_codes } = await ask<Schemas['AddedPasskey']>(PASSKEYS, { method: 'POST', body });
      announce('The passkey is added. All other sessions have ended.');
      await added(recovery_codes ?? []);
    },
  });
}

async function rename({ passkey_id, name }: Passkey, { changed }: Changed): Promise<void> {
  const field = textField(
    { name: 'name', label: 'Name' },
    { value: name, required: true, autocomplete: 'off', autofocus: true },
  );
  const isDone = await openDialog<true>(`Rename ${name}`, (close) => [
    form({
      fields: [field],
      action: 'Rename',
      extra: [button('Cancel', () => close(null))],
      async send() {
        await ask(`${PASSKEYS}/${passkey_id}`, { method: 'PATCH', body: { name: field.control.value } });
        announce('The passkey has its new name.');
        close(true);
      },
    }),
  ]);
  if (isDone) await changed();
}

async function remove({ passkey_id, name }: Passkey, { changed }: Changed): Promise<void> {
  const isWanted = await isConfirmed({
    title: `Remove ${name}?`,
    words: [
      'It signs nobody in from now on, and your other sessions end. Without another factor the recovery codes end too.',
      'Your device may go on offering it: delete it there as well.',
    ],
    action: 'Remove the passkey',
  });
  if (!isWanted) return;
  const isDone = await attempt('The passkey is not removed', 'The passkey is removed.', () =>
    ask(`${PASSKEYS}/${passkey_id}`, { method: 'DELETE' }),
  );
  if (isDone) await changed();
}
