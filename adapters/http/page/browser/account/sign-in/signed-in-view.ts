import { ask } from '../../kit/ask.ts';
import { fill, h } from '../../kit/elements.ts';
import type { Visit } from '../../kit/forms.ts';
import { addressAfterSignIn } from '../../kit/refused-state.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { noteSession } from '../../kit/session-hint.ts';
import { showReading } from '../../kit/states.ts';

const TITLE = 'Signing in';

/** Where a login by the identity provider ends: the session is noticed, and the reader goes on where they were. */
export async function show(view: HTMLElement, { signal }: Visit): Promise<string> {
  const box = h('div');
  fill(view, h('h1', { tabindex: -1 }, TITLE), box);
  await showReading(box, signal, {
    what: 'your session',
    read: () => ask<Schemas['Capabilities']>('/api/v1/public/auth/status', { signal }),
    show() {
      noteSession(null);
      location.replace(addressAfterSignIn());
      return [h('p', {}, 'You are signed in.')];
    },
  });
  return TITLE;
}
