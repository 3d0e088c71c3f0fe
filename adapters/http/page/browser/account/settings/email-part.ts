import { attempt, renewed } from '../../kit/actions.ts';
import { ask } from '../../kit/ask.ts';
import { button, h } from '../../kit/elements.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { showReading } from '../../kit/states.ts';
import { instant } from '../../kit/value-texts.ts';

/** The email address of the account, since when it is confirmed, and the mail that confirms it. */
export async function showEmail(box: HTMLElement, signal: AbortSignal): Promise<void> {
  await showReading(box, signal, {
    what: 'your email address',
    read: () => ask<Schemas['Capabilities']>('/api/v1/public/auth/status', { signal }),
    show({ owner, email_confirmed_at: since }) {
      if (!owner || owner.email === null) return [];
      if (since) return [h('p', {}, `${owner.email}, confirmed ${instant(since)}.`)];
      const send = async () => {
        const isDone = await attempt('No mail was sent', 'A mail with a link is on its way.', () =>
          ask('/api/v1/owner/auth/email/confirmation', { method: 'POST' }),
        );
        if (isDone) await renewed(box, () => showEmail(box, signal));
      };
      return [
        h('p', {}, `${owner.email}, not confirmed.`),
        h('p', { class: 'buttons' }, button('Send a mail that confirms it', send)),
      ];
    },
    none: 'This account has no email address here: you sign in through the identity provider.',
  });
}
