import { ask } from '../../kit/ask.ts';
import { announce } from '../../kit/dialogs.ts';
import { fill, h } from '../../kit/elements.ts';
import { checkField, form, isChecked, textField, type Visit } from '../../kit/forms.ts';
import { forgetIdentity, readIdentity } from '../../kit/identity.ts';
import { hasMail } from '../../kit/refused-state.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { counted } from '../../kit/value-texts.ts';
import { isOfLink, takeToken, voidLink } from './mailed-link.ts';

const ADDRESS = '#/reset';
const PATH = '/api/v1/public/auth/password-reset';
const TITLE = 'Reset your password';

/** Without a token a mail is asked for; with the token of its link a new password is chosen. */
export async function show(view: HTMLElement, visit: Visit): Promise<string> {
  const token = takeToken(visit, ADDRESS);
  if (token !== '') showChoice(view, token);
  else if (hasMail()) showRequest(view);
  else showNoMail(view);
  return TITLE;
}

function showNoMail(view: HTMLElement): void {
  fill(
    view,
    h('h1', { tabindex: -1 }, TITLE),
    h(
      'p',
      { class: 'lead' },
      'This service sends no mail. Ask its operator for a link with which you choose a new one.',
    ),
  );
}

function showRequest(view: HTMLElement): void {
  const email = textField(
    { name: 'email', label: 'Email address' },
    { id: 'email', type: 'email', autocomplete: 'username', required: true },
  );
  const made = form({
    fields: [email],
    action: 'Send the mail',
    class: 'narrow',
    async send() {
      const address = email.control.value;
      await ask<Schemas['PasswordResetAccepted']>(PATH, { method: 'POST', body: { email: address } });
      fill(
        view,
        h('h1', { tabindex: -1 }, 'Look into your mail'),
        h(
          'p',
          {},
          `If ${address} has an account with a password, a mail with a link is on its way. Look among unwanted mail too.`,
        ),
        h('p', { class: 'soft' }, h('a', { href: ADDRESS }, 'Send it again'), ', or to another address.'),
      );
      focusHeading(view);
    },
  });
  fill(
    view,
    h('h1', { tabindex: -1 }, TITLE),
    h('p', { class: 'lead' }, 'You get a mail with a link, with which you choose a new password.'),
    made,
    h('p', { class: 'soft' }, 'You know your password? ', h('a', { href: '#/sign-in' }, 'Sign in'), '.'),
  );
}

function showChoice(view: HTMLElement, token: string): void {
  const password = textField(
    { name: 'new_password', label: 'New password', hint: 'A few plain words are better than one odd word.' },
    { type: 'password', autocomplete: 'new-password', required: true },
  );
  const keys = checkField({
    name: 'revoke_keys',
    label: 'Revoke all API keys too',
    hint: 'If somebody else may have had your password. Your agents need new keys then.',
  });
  const made = form({
    fields: [password, keys],
    action: 'Set the password',
    class: 'narrow',
    async send() {
      const body = { token, new_password: password.control.value, revoke_keys: isChecked(keys) };
      try {
        const done = await ask<Schemas['PasswordResetDone']>(`${PATH}/confirm`, { method: 'POST', body });
        showDone(view, done);
      } catch (error) {
        if (!isOfLink(error)) throw error;
        fill(view, ...voidLink(h('a', { href: ADDRESS }, 'Ask for another mail'), '.'));
        focusHeading(view);
      }
    },
  });
  fill(
    view,
    h('h1', { tabindex: -1 }, TITLE),
    h('p', { class: 'lead' }, 'All sessions of the account end. Its second factors and passkeys stay.'),
    made,
  );
}

function showDone(view: HTMLElement, { sessions_ended, keys_revoked }: Schemas['PasswordResetDone']): void {
  const keys = keys_revoked > 0 ? ` ${counted(keys_revoked, 'API key')} ended.` : '';
  fill(
    view,
    h('h1', { tabindex: -1 }, 'Your password is changed'),
    h('p', {}, `${counted(sessions_ended, 'session')} ended.${keys} Sign in with the new password.`),
    h('p', {}, h('a', { class: 'button', href: '#/sign-in' }, 'Sign in')),
  );
  focusHeading(view);
  announce('Your password is changed.');
  // A session of this browser may have been one of those that ended.
  forgetIdentity();
  void readIdentity();
}

function focusHeading(view: HTMLElement): void {
  view.querySelector('h1')?.focus();
}
