import { announce } from '../../kit/dialogs.ts';
import { button, fill, h } from '../../kit/elements.ts';
import type { Visit } from '../../kit/forms.ts';
import { forgetIdentity, lacksFactor } from '../../kit/identity.ts';
import { hasProvider, providerLink } from '../../kit/refused-state.ts';
import { showFactors } from './factors.ts';

const TITLE = 'Add a second factor';

/** In the place of every view of an owner where the operator requires a second factor, and this session has none. */
export async function show(view: HTMLElement, visit: Visit): Promise<string> {
  const factors = h('div');
  fill(
    view,
    h('h1', { tabindex: -1 }, TITLE),
    h(
      'p',
      { class: 'lead' },
      'The operator asks every account for a second factor. Add an authenticator app or a passkey here, and save the recovery codes. The API keys that you have go on working.',
    ),
    h('p', {}, 'If the account has one, sign out, and sign in with it.'),
    hasProvider() &&
      h('p', {}, providerLink('Log in with a second factor at the identity provider', ['fresh', 'factor'])),
    h('section', { 'aria-labelledby': 'factors' }, h('h2', { id: 'factors' }, 'Second factor'), factors),
    h(
      'p',
      {},
      button('Go on', () => goOn(visit)),
    ),
  );
  await showFactors(factors, visit.signal);
  return TITLE;
}

/** The view that the reader came for, once the session has a factor. */
async function goOn({ again }: Visit): Promise<void> {
  forgetIdentity();
  if (await lacksFactor()) announce('This session still has no second factor.');
  else again();
}
