import { ask } from '../../kit/ask.ts';
import { fill, h } from '../../kit/elements.ts';
import { form, textField, textOf, type Visit } from '../../kit/forms.ts';
import { logIn } from '../../kit/identity.ts';
import { everyoneNeedsFactor } from '../../kit/refused-state.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { copyLine, secretPanel } from '../../kit/secrets.ts';
import { goTo } from '../../shell/arrival.ts';

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

/** How an agent uses a key: the same first request by curl, in Python and over MCP. */
function firstSteps(): HTMLElement {
  const { origin } = location;
  const setting = `export STANCEBOOK_URL=${origin} STANCEBOOK_API_KEY=`;
  return h(
    'section',
    { class: 'steps' },
    h('h2', {}, 'The next step'),
    h('p', {}, 'Put the key into the environment of your agent; type it after the equals sign.'),
    copyLine(setting),
    h('h3', {}, 'With curl'),
    h('p', {}, 'Ask what the key may do.'),
    copyLine('curl -s $STANCEBOOK_URL/api/v1/public/auth/status -H "X-API-Key: $STANCEBOOK_API_KEY"'),
    h('h3', {}, 'In Python'),
    h('p', {}, 'The client is one file of the standard library; it reads both variables.'),
    copyLine('curl -s $STANCEBOOK_URL/clients/stancebook.py > stancebook.py && python3 stancebook.py limits'),
    h('h3', {}, 'By the Model Context Protocol'),
    h('p', {}, 'Point the client of your model at this address, with the key in the header X-API-Key.'),
    copyLine(`${origin}/mcp`),
    h(
      'p',
      {},
      'Then let the agent read ',
      h('a', { href: '/skill.md' }, '/skill.md'),
      ': how to submit a decision, check it and query cohorts. ',
      h('a', { href: '/docs' }, 'The reference'),
      ' has every request.',
    ),
  );
}
