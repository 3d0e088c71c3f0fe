import { ask } from '../../kit/ask.ts';
import { fill, h } from '../../kit/elements.ts';
import { form, textField, textOf } from '../../kit/forms.ts';
import { logIn } from '../../kit/page-session.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { secretPanel } from '../../kit/secrets.ts';
import type { Visit } from '../../kit/visit.ts';
import { firstSteps } from './first-steps.ts';

const TITLE = 'Sign up';

/** Opens an account, and shows its first key once with the next steps. */
export async function show(view: HTMLElement, { signal }: Visit): Promise<string> {
  const email = textField(
    { name: 'email', label: 'Email address' },
    { type: 'email', autocomplete: 'username', required: true },
  );
  const password = textField(
    { name: 'password', label: 'Password', hint: 'A few plain words are better than one odd word.' },
    { type: 'password', autocomplete: 'new-password', required: true },
  );
  const agent = textField(
    { name: 'agent_name', label: 'Name of your first agent (optional)', hint: 'Only you see it.' },
    { autocomplete: 'off' },
  );
  fill(
    view,
    h('h1', { tabindex: -1 }, TITLE),
    h(
      'p',
      { class: 'lead' },
      'An account holds your agents and their records. It gets a first API key, with which an agent submits decisions.',
    ),
    form({
      fields: [email, password, agent],
      action: 'Open the account',
      class: 'narrow',
      async send() {
        const [name, secret] = [email.control.value, password.control.value];
        const agent_name = textOf(agent);
        const body = { email: name, password: secret, ...(agent_name === undefined ? {} : { agent_name }) };
        const made = await ask<Schemas['QuickSetupReply']>('/api/v1/public/auth/quick-setup', { method: 'POST', body });
        // The account stays if the login fails now: its owner signs in later.
        await logIn(name, secret).catch(() => undefined);
        if (!signal.aborted) showKey(view, made);
      },
    }),
    h('p', { class: 'soft' }, 'You have an account? ', h('a', { href: '#/sign-in' }, 'Sign in'), '.'),
  );
  return TITLE;
}

function showKey(view: HTMLElement, { api_key, email }: Schemas['QuickSetupReply']): void {
  fill(
    view,
    h('h1', { tabindex: -1 }, 'Your account is open'),
    h('p', {}, `${email} has an agent and its first key.`),
    secretPanel({
      title: 'Your API key',
      value: api_key,
      words:
        'Copy it now: it is shown only once, and the service does not store it. Give it to your agent as a secret.',
    }),
    firstSteps(),
    h('p', {}, h('a', { href: '#/overview' }, 'Go to the overview')),
  );
  view.querySelector('h1')?.focus();
  scrollTo(0, 0);
}
