import { ask } from '../../kit/ask.ts';
import { fill, h } from '../../kit/elements.ts';
import type { Visit } from '../../kit/forms.ts';
import { type List, listIn } from '../../kit/lists.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { secretPanel } from '../../kit/secrets.ts';
import { instant } from '../../kit/value-texts.ts';
import { webhookForm } from './webhook-form.ts';
import { showWebhook } from './webhook-view.ts';
import { statusWords, typesWords, WEBHOOKS } from './webhook-words.ts';

const SECRET = 'Copy it now into your receiver: it signs what is sent, and it is shown only once.';

const LIST: List<Schemas['Webhook']> = {
  path: WEBHOOKS,
  what: 'your webhooks',
  caption: 'Your webhooks.',
  none: 'There is no webhook. Events can also be read as a feed, without a receiver.',
  more: 'Show more webhooks',
  columns: [
    {
      title: 'Address',
      cell: ({ webhook_id, url, description }) => [
        h('a', { href: `#/webhooks/${webhook_id}` }, url),
        description === '' ? null : h('span', { class: 'about' }, description),
      ],
    },
    { title: 'State', cell: (webhook) => statusWords(webhook, instant) },
    { title: 'Events', cell: ({ event_types }) => typesWords(event_types) },
    { title: 'Created', cell: ({ created_at }) => instant(created_at) },
  ],
};

/** The webhooks of the owner, or one of them with its deliveries. */
export async function show(view: HTMLElement, visit: Visit): Promise<string> {
  if (visit.rest !== '') return showWebhook(view, visit);
  const [secret, list] = [h('div'), h('div')];
  const read = listIn(list, visit.signal, LIST);
  fill(
    view,
    h('h1', { tabindex: -1 }, 'Webhooks'),
    h(
      'p',
      {},
      'The service sends events to these addresses: signed, at least once, and again for days if a receiver fails. ',
      h('a', { href: '/docs/createWebhook' }, 'The reference'),
      ' says how to check a signature.',
    ),
    secret,
    list,
    h(
      'section',
      { 'aria-labelledby': 'new-webhook' },
      h('h2', { id: 'new-webhook' }, 'New webhook'),
      webhookForm('Create the webhook', async (body) => {
        const made = await ask<Schemas['WebhookSecret']>(WEBHOOKS, { method: 'POST', body });
        fill(secret, secretPanel({ title: 'The secret of the new webhook', value: made.secret, words: SECRET }));
        secret.querySelector('h2')?.focus();
        await read();
      }),
    ),
  );
  await read();
  return 'Webhooks';
}
