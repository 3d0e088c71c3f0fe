import { ask } from '../../kit/ask.ts';
import { fill, h } from '../../kit/elements.ts';
import { form, textField, textOf, type Visit } from '../../kit/forms.ts';
import { logIn } from '../../kit/identity.ts';
import { everyoneNeedsFactor } from '../../kit/refused-state.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { goTo } from '../../shell/arrival.ts';
import { noteNewKey } from '../new-key.ts';

const TITLE = 'Sign up';

/** Opens an account; the first steps of the overview go on with its first key. */
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
      everyoneNeedsFactor()
        ? 'An account holds your agents and their records. Add a second factor, then make a first API key for an agent.'
        : 'An account holds your agents and their records. It gets a first API key, with which an agent submits decisions.',
    ),
    form({
      fields: [email, password, agent],
      action: 'Open the account',
      class: 'narrow',
      async send() {
        const [name, secret] = [email.control.value, password.control.value];
        const agent_name = textOf(agent);
        const body = { email: name, password: secret, ...(agent_name === undefined ? {} : { agent_name }) };
        const enter = () => logIn(name, secret).catch(() => undefined);
        if (everyoneNeedsFactor()) {
          await ask('/api/v1/public/auth/register', { method: 'POST', body });
          await enter();
          return goTo('#/keys');
        }
        const made = await ask<Schemas['QuickSetupReply']>('/api/v1/public/auth/quick-setup', { method: 'POST', body });
        // The account stays if the login fails now: its owner signs in later.
        await enter();
        if (signal.aborted) return;
        noteNewKey(made.api_key);
        goTo('#/overview');
      },
    }),
    h('p', { class: 'soft' }, 'You have an account? ', h('a', { href: '#/sign-in' }, 'Sign in'), '.'),
  );
  return TITLE;
}
