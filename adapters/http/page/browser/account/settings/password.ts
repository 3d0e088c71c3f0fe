import { announce } from '../../kit/announcements.ts';
import { ask } from '../../kit/ask.ts';
import { fill, h } from '../../kit/elements.ts';
import { checkField, form, isChecked, textField } from '../../kit/forms.ts';
import { readIdentity } from '../../kit/identity.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { counted } from '../../kit/value-texts.ts';

/** Changes the password; an account of the identity provider has none. */
export async function showPassword(box: HTMLElement): Promise<void> {
  const identity = await readIdentity();
  if (identity && identity.email === null) {
    fill(box, h('p', {}, 'This account has no password: you sign in through the identity provider.'));
    return;
  }
  const current = textField(
    { name: 'current_password', label: 'Current password' },
    { type: 'password', autocomplete: 'current-password', required: true },
  );
  const next = textField(
    { name: 'new_password', label: 'New password', hint: 'A few plain words are better than one odd word.' },
    { type: 'password', autocomplete: 'new-password', required: true },
  );
  const keys = checkField({ name: 'revoke_keys', label: 'Revoke all API keys too' });
  const made = form({
    fields: [current, next, keys],
    action: 'Change the password',
    async send() {
      const reply = await ask<Schemas['PasswordChanged'] | undefined>('/api/v1/owner/password', {
        method: 'PUT',
        body: {
          current_password: current.control.value,
          new_password: next.control.value,
          revoke_keys: isChecked(keys),
        },
      });
      made.reset();
      const revoked = reply ? ` ${counted(reply.keys_revoked, 'key')} ended.` : '';
      announce(`The password is changed, and all other sessions have ended.${revoked}`);
    },
  });
  fill(box, made);
}
