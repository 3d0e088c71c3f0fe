import { attempt } from '../kit/actions.ts';
import { ask } from '../kit/ask.ts';
import { isConfirmed, openDialog } from '../kit/dialogs.ts';
import { button, fill, h } from '../kit/elements.ts';
import { factList } from '../kit/fact-list.ts';
import type { Schemas } from '../kit/schemas.ts';
import { secretPanel } from '../kit/secrets.ts';
import { showReading } from '../kit/states.ts';
import { instant } from '../kit/value-texts.ts';
import type { Visit } from '../kit/visit.ts';
import { showDeliveries } from './deliveries.ts';
import { webhookForm } from './webhook-form.ts';
import { statusWords, typesWords, WEBHOOKS } from './webhook-words.ts';

type Webhook = Schemas['Webhook'];

const SECRET =
  'Copy it now into your receiver: it is shown only once. The former secret signs too for a while, so that nothing is lost meanwhile.';

interface Parts {
  readonly address: string;
  readonly facts: HTMLElement;
  readonly secret: HTMLElement;
  readonly deliveries: HTMLElement;
  readonly visit: Visit;
}

/** One webhook: its state, what can be done with it, and what was sent. */
export async function showWebhook(view: HTMLElement, visit: Visit): Promise<string> {
  const [facts, secret, deliveries] = [h('div'), h('div'), h('div')];
  const address = `${WEBHOOKS}/${encodeURIComponent(visit.rest)}`;
  const parts = { address, facts, secret, deliveries, visit };
  const title = h('h1', { tabindex: -1 }, 'Webhook');
  fill(
    view,
    h('p', { class: 'crumbs' }, h('a', { href: '#/webhooks' }, 'Webhooks')),
    title,
    secret,
    facts,
    h('section', { 'aria-labelledby': 'deliveries' }, h('h2', { id: 'deliveries' }, 'Deliveries'), deliveries),
  );
  await Promise.all([showFacts(parts), showDeliveries(deliveries, address, visit.signal)]);
  return 'Webhook';
}

async function showFacts(parts: Parts): Promise<void> {
  const { signal } = parts.visit;
  await showReading(parts.facts, signal, {
    what: 'the webhook',
    read: () => ask<Webhook>(parts.address, { signal }),
    show: (webhook) => [factsOf(webhook), actionsOf(webhook, parts)],
  });
}

function factsOf(webhook: Webhook): HTMLElement {
  const { url, description, event_types, created_at, former_secret_until } = webhook;
  return factList([
    ['Address', url],
    ['State', statusWords(webhook, instant)],
    ['Events', typesWords(event_types)],
    ...(description === '' ? [] : [['Description', description] as const]),
    ['Created', instant(created_at)],
    ...(former_secret_until === null
      ? []
      : [['Former secret', `signs too until ${instant(former_secret_until)}`] as const]),
  ]);
}

function actionsOf(webhook: Webhook, parts: Parts): HTMLElement {
  const { address, secret } = parts;
  const isOn = webhook.status === 'active';
  const again = () => showFacts(parts);
  const run = async (failed: string, done: string, action: () => Promise<unknown>) => {
    if (await attempt(failed, done, action)) await again();
  };
  const toggle = () =>
    run(
      isOn ? 'It is not stopped' : 'It is not started',
      isOn ? 'The webhook is stopped.' : 'The webhook is started.',
      () => ask(address, { method: 'PATCH', body: { enabled: !isOn } }),
    );
  const test = () =>
    run('No test is sent', 'A test is on its way: see the deliveries.', async () => {
      await ask(`${address}/test`, { method: 'POST' });
      await showDeliveries(parts.deliveries, address, parts.visit.signal);
    });
  const rotate = () =>
    run('The secret is not rotated', 'The new secret is shown.', async () => {
      const made = await ask<Schemas['WebhookSecret']>(`${address}/rotate-secret`, { method: 'POST' });
      fill(secret, secretPanel({ title: 'The new secret', value: made.secret, words: SECRET }));
      secret.querySelector('h2')?.focus();
    });
  return h(
    'div',
    { class: 'buttons spaced' },
    button('Change', () => change(webhook, parts)),
    button(isOn ? 'Stop' : 'Start', toggle),
    button('Send a test', test),
    button('Rotate the secret', rotate),
    button('Remove', () => remove(webhook, address), { class: 'danger' }),
  );
}

async function change(webhook: Webhook, parts: Parts): Promise<void> {
  const changed = await openDialog<true>('Change the webhook', (close) => [
    webhookForm(
      'Save',
      async (body) => {
        await ask(parts.address, { method: 'PATCH', body });
        close(true);
      },
      webhook,
    ),
    h(
      'p',
      { class: 'spaced' },
      button('Cancel', () => close(null)),
    ),
  ]);
  if (changed) await showFacts(parts);
}

async function remove({ url }: Webhook, address: string): Promise<void> {
  const isWanted = await isConfirmed({
    title: 'Remove the webhook?',
    words: [`Nothing more is sent to ${url}, and its deliveries are removed with it.`],
    action: 'Remove the webhook',
  });
  if (!isWanted) return;
  const isDone = await attempt('It is not removed', 'The webhook is removed.', () =>
    ask(address, { method: 'DELETE' }),
  );
  if (isDone) location.hash = '#/webhooks';
}
