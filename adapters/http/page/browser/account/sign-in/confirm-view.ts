import { ask } from '../../kit/ask.ts';
import { fill, h } from '../../kit/elements.ts';
import { form, type Visit } from '../../kit/forms.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { instant } from '../../kit/value-texts.ts';
import { isOfLink, takeToken, voidLink } from './mailed-link.ts';

const TITLE = 'Confirm your email address';

/** Where the link of a mail leads. The reader confirms by a button: programs that follow links of mails press none. */
export async function show(view: HTMLElement, visit: Visit): Promise<string> {
  const token = takeToken(visit, '#/confirm');
  if (token === '') {
    fill(view, ...voidLink(...another()));
    return TITLE;
  }
  const made = form({
    fields: [],
    action: 'Confirm the address',
    async send() {
      const path = '/api/v1/public/auth/email/confirm';
      try {
        const { email_confirmed_at } = await ask<Schemas['EmailConfirmed']>(path, { method: 'POST', body: { token } });
        fill(
          view,
          h('h1', { tabindex: -1 }, 'Your address is confirmed'),
          h('p', {}, `Since ${instant(email_confirmed_at)}. The link is void now.`),
          h('p', {}, h('a', { href: '#/overview' }, 'Go to the overview')),
        );
      } catch (error) {
        if (!isOfLink(error)) throw error;
        fill(view, ...voidLink(...another()));
      }
      view.querySelector('h1')?.focus();
    },
  });
  fill(
    view,
    h('h1', { tabindex: -1 }, TITLE),
    h('p', { class: 'lead' }, 'This says that you read the mail of this address. It begins no session.'),
    made,
  );
  return TITLE;
}

function another(): readonly (Node | string)[] {
  const link = h('a', { href: '#/settings' }, 'settings');
  return ['Ask for another mail in your ', link, '; they also show whether the address is confirmed.'];
}
