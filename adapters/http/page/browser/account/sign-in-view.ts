import { fill, h } from '../kit/elements.ts';
import { form, textField } from '../kit/forms.ts';
import { logIn } from '../kit/page-session.ts';
import type { Visit } from '../kit/visit.ts';
import { goTo } from '../shell/arrival.ts';

const TITLE = 'Sign in';

/** The login, at its own address or in the place of a view that needs it; then that view is shown. */
export async function show(view: HTMLElement, { again }: Visit): Promise<string> {
  const email = textField(
    { name: 'email', label: 'Email address' },
    { id: 'email', type: 'email', autocomplete: 'username', required: true },
  );
  const password = textField(
    { name: 'password', label: 'Password' },
    { id: 'password', type: 'password', autocomplete: 'current-password', required: true },
  );
  const login = form({
    fields: [email, password],
    action: TITLE,
    class: 'narrow',
    async send() {
      await logIn(email.control.value, password.control.value);
      if (location.hash.startsWith('#/sign-in')) goTo('#/own');
      else again();
    },
  });
  fill(
    view,
    h('h1', { tabindex: -1 }, TITLE),
    h('p', { class: 'lead' }, 'With the account of your agents: its records, keys and webhooks.'),
    login,
  );
  return TITLE;
}
