import { ask } from '../../kit/ask.ts';
import { attempt, openDialog } from '../../kit/dialogs.ts';
import { button, type Child, h } from '../../kit/elements.ts';
import { form, textField } from '../../kit/forms.ts';
import { readIdentity, type WireLogin } from '../../kit/identity.ts';
import { providerLink } from '../../kit/refused-state.ts';
import { noteSession } from '../../kit/session-hint.ts';
import { hasPasskeys, reauthenticateByPasskey } from '../security/passkeys.ts';
import { secondFactor } from './second-factor.ts';

const REAUTHENTICATE = '/api/v1/owner/auth/reauthenticate';

/** Has the owner log in again; false if they do not want to. An account without a password goes to the provider. */
export async function proveAgain(): Promise<boolean> {
  const identity = await readIdentity();
  const isProven = await openDialog<true>('Confirm that it is you', (close) => [
    ...(identity?.email === null ? atProvider(() => close(null)) : byPassword(close)),
    hasPasskeys() && byPasskey(close),
  ]);
  return isProven === true;
}

function byPasskey(close: (result: true | null) => void): HTMLElement {
  const prove = async () => {
    if (await attempt('That did not confirm it', 'Confirmed.', reauthenticateByPasskey)) close(true);
  };
  return h('p', {}, button('Confirm with a passkey', prove));
}

function byPassword(close: (result: true | null) => void): readonly Child[] {
  const password = textField(
    { name: 'password', label: 'Password' },
    { type: 'password', autocomplete: 'current-password', required: true, autofocus: true },
  );
  const factor = secondFactor();
  return [
    h('p', {}, 'Your login is some time ago, and this needs a recent one. Then it is done at once.'),
    form({
      fields: [password, factor.field],
      action: 'Confirm',
      extra: [button('Cancel', () => close(null))],
      async send() {
        const body = { password: password.control.value, ...factor.body() };
        try {
          noteSession((await ask<WireLogin>(REAUTHENTICATE, { method: 'POST', body })).session_expires_at);
        } catch (error) {
          factor.askAfter(error);
          return;
        }
        close(true);
      },
    }),
  ];
}

function atProvider(cancel: () => void): readonly Child[] {
  return [
    h(
      'p',
      {},
      'Your login is some time ago, and this needs a recent one. You come back to this view; then do it again.',
    ),
    h(
      'div',
      { class: 'buttons' },
      providerLink('Log in at the identity provider', ['fresh']),
      button('Cancel', cancel),
    ),
  ];
}
