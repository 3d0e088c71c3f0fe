import { attempt } from '../../kit/dialogs.ts';
import { button, fill, h } from '../../kit/elements.ts';
import { form, textField, type Visit } from '../../kit/forms.ts';
import { logIn } from '../../kit/identity.ts';
import { hasMail, hasProvider, providerLink } from '../../kit/refused-state.ts';
import { goTo } from '../../shell/arrival.ts';
import { hasPasskeys, logInByPasskey } from '../security/passkeys.ts';
import { secondFactor } from './second-factor.ts';

const TITLE = 'Sign in';

const WITHOUT_MAIL = 'This service sends no mail: its operator makes a link with which you choose a new one.';

/** The login, at its own address or in the place of a view that needs it; then that view is shown. */
export async function show(view: HTMLElement, { again, query }: Visit): Promise<string> {
  const refused = query.get('refused');
  fill(
    view,
    h('h1', { tabindex: -1 }, TITLE),
    h(
      'p',
      { class: 'lead' },
      'With the account of your agents. You then see all of your records, with targets, stop and bars.',
    ),
    refused !== null && h('p', { class: 'notice', role: 'alert' }, REFUSALS[refused] ?? REFUSED),
    passwordForm(again),
    hasMail()
      ? h('p', {}, h('a', { href: '#/reset' }, 'Forgotten your password?'))
      : h('p', { class: 'soft' }, `Forgotten your password? ${WITHOUT_MAIL}`),
    hasPasskeys() && passkeyWay(again),
    hasProvider() &&
      h(
        'section',
        { class: 'other-way', 'aria-label': 'Sign in without a password' },
        h('p', {}, 'If your organisation has an identity provider, sign in there.'),
        providerLink('Sign in with the identity provider'),
      ),
    h(
      'p',
      { class: 'soft' },
      'No account yet? ',
      h('a', { href: '#/sign-up' }, 'Sign up'),
      ' and get a first API key.',
    ),
  );
  return TITLE;
}

function passkeyWay(again: () => void): HTMLElement {
  const enter = async () => {
    if (await attempt('You are not signed in', 'You are signed in.', logInByPasskey)) goOn(again);
  };
  return h('p', {}, button('Sign in with a passkey', enter));
}

/** The view that the reader came for; the overview after the login at its own address. */
function goOn(again: () => void): void {
  if (location.hash.startsWith('#/sign-in')) goTo('#/overview');
  else again();
}

function passwordForm(again: () => void): HTMLElement {
  const email = textField(
    { name: 'email', label: 'Email address' },
    { id: 'email', type: 'email', autocomplete: 'username', required: true },
  );
  const password = textField(
    { name: 'password', label: 'Password' },
    { id: 'password', type: 'password', autocomplete: 'current-password', required: true },
  );
  const factor = secondFactor();
  return form({
    fields: [email, password, factor.field],
    action: TITLE,
    class: 'narrow',
    async send() {
      try {
        await logIn(email.control.value, password.control.value, factor.body());
      } catch (error) {
        factor.askAfter(error);
        return;
      }
      goOn(again);
    },
  });
}

const REFUSED = 'The login at the identity provider did not succeed. Try again.';

/** Why a login at the identity provider ended without a session, by the code of the refusal. */
const REFUSALS: Readonly<Record<string, string>> = {
  OAUTH_CALLBACK_ERROR: 'The identity provider refused the login, or did not answer. Try again.',
  INVALID_STATE: 'This login was begun in another browser, or more than ten minutes ago. Begin it again here.',
  ACCOUNT_SUSPENDED: 'This account is suspended. Ask the operator; your records stay as they are.',
  RATE_LIMIT_EXCEEDED: 'No more accounts can be opened today. Try again after 00:00 UTC.',
  OAUTH_NOT_CONFIGURED: 'No identity provider is set up. Sign in with email and password.',
};
