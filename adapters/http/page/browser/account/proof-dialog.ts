import { ask } from '../kit/ask.ts';
import { openDialog } from '../kit/dialogs.ts';
import { button, h } from '../kit/elements.ts';
import { form, textField } from '../kit/forms.ts';
import type { WireLogin } from '../kit/page-session.ts';
import { noteSession } from '../kit/session-hint.ts';

/** Asks for the password again; false if the reader does not want to. */
export async function proveAgain(): Promise<boolean> {
  const isProven = await openDialog<true>('Confirm that it is you', (close) => {
    const password = textField(
      { name: 'password', label: 'Password' },
      { type: 'password', autocomplete: 'current-password', required: true, autofocus: true },
    );
    return [
      h('p', {}, 'Your login is some time ago, and this needs a recent one. Then it is done at once.'),
      form({
        fields: [password],
        action: 'Confirm',
        extra: [button('Cancel', () => close(null))],
        async send() {
          const { session_expires_at } = await ask<WireLogin>('/api/v1/owner/auth/reauthenticate', {
            method: 'POST',
            body: { password: password.control.value },
          });
          noteSession(session_expires_at);
          close(true);
        },
      }),
    ];
  });
  return isProven === true;
}
