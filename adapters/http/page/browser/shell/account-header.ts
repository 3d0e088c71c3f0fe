import { announce } from '../kit/announcements.ts';
import { button, fill, h, part } from '../kit/elements.ts';
import { readIdentity } from '../kit/identity.ts';
import { logOut } from '../kit/page-session.ts';
import { isSignedIn } from '../kit/session-hint.ts';

/** Shows in the header who is signed in, with the way out; or the ways in. */
export function showAccount(): void {
  const box = part('#account', HTMLElement);
  if (!isSignedIn()) {
    fill(box, h('a', { href: '#/sign-in' }, 'Sign in'));
    return;
  }
  const name = h('a', { href: '#/overview', class: 'who' }, 'Your account');
  fill(box, name, button('Sign out', signOut));
  void readIdentity().then((identity) => {
    if (identity?.email) fill(name, h('span', { class: 'hidden' }, 'Your account: '), identity.email);
  });
}

/** The session is forgotten here in any case; only the service can end it for other copies of the cookie. */
async function signOut(): Promise<void> {
  try {
    await logOut();
    announce('You are signed out.');
  } catch {
    announce('You are signed out here, but the service could not be reached to end the session.');
  }
  location.hash = '#/';
}
