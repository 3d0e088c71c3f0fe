import { ask } from '../../kit/ask.ts';
import { attempt, openDialog } from '../../kit/dialogs.ts';
import { button, factList, fill, h } from '../../kit/elements.ts';
import { choiceField, type Visit } from '../../kit/forms.ts';
import { type List, listIn } from '../../kit/lists.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { secretPanel } from '../../kit/secrets.ts';
import { showReading } from '../../kit/states.ts';
import { facts, instant } from '../../kit/value-texts.ts';
import { webhookForm } from './webhook-form.ts';
import { attemptWords, statusWords, typesWords, WEBHOOKS } from './webhook-words.ts';

/** Before any delivery that is kept. */
const BEFORE_ALL = '2000-01-01T00:00:00Z';

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
  return factList(
    facts(
      ['Address', url],
      ['State', statusWords(webhook, instant)],
      ['Events', typesWords(event_types)],
      description !== '' && ['Description', description],
      ['Created', instant(created_at)],
      former_secret_until !== null && ['Former secret', `signs too until ${instant(former_secret_until)}`],
    ),
  );
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
  const send = () => ask(address, { method: 'DELETE' });
  const isDone = await attempt('It is not removed', 'The webhook is removed.', send, {
    title: 'Remove the webhook?',
    words: [`Nothing more is sent to ${url}, and its deliveries are removed with it.`],
    action: 'Remove the webhook',
  });
  if (isDone) location.hash = '#/webhooks';
}

type Delivery = Schemas['WebhookDelivery'];

/** What was sent to a webhook, with its attempts; each can be sent again. @param address that of the webhook */
async function showDeliveries(box: HTMLElement, address: string, signal: AbortSignal): Promise<void> {
  const status = choiceField({ name: 'status', label: 'Show' }, [
    ['', 'all deliveries'],
    ['pending', 'pending ones'],
    ['delivered', 'delivered ones'],
    ['failed', 'failed ones'],
  ]);
  const list = h('div');
  const read = listIn(list, signal, { ...deliveriesOf(address), query: () => ({ status: status.control.value }) });
  status.control.addEventListener('change', read);
  const resendAll = async () => {
    const body = { since: BEFORE_ALL };
    const isDone = await attempt('They are not sent again', 'All failed deliveries are sent again.', () =>
      ask(`${address}/resend-failed`, { method: 'POST', body }),
    );
    if (isDone) await read();
  };
  const again = button('Send all failed ones again', resendAll);
  fill(box, h('div', { class: 'filters' }, status.element, again), list);
  await read();
}

function deliveriesOf(address: string): List<Delivery> {
  const path = `${address}/deliveries`;
  return {
    path,
    what: 'the deliveries',
    caption: 'Deliveries, the newest first.',
    none: 'Nothing was sent yet. Send a test.',
    more: 'Show older deliveries',
    columns: [
      {
        title: 'Event',
        cell: ({ event_type, event_id }) => [event_type, h('span', { class: 'about' }, h('code', {}, event_id))],
      },
      { title: 'State', cell: stateWords },
      { title: 'Attempts', cell: attemptList },
    ],
    actions: ({ delivery_id, event_id }) => [
      {
        label: 'Send again',
        of: event_id,
        run: () =>
          attempt('It is not sent again', 'It is sent again.', () =>
            ask(`${path}/${delivery_id}/resend`, { method: 'POST' }),
          ),
      },
    ],
  };
}

function stateWords({ status, next_attempt_at, created_at }: Delivery) {
  const next = next_attempt_at === null ? '' : `, next attempt ${instant(next_attempt_at)}`;
  return [status, h('span', { class: 'about' }, `since ${instant(created_at)}${next}`)];
}

function attemptList({ attempts }: Delivery): HTMLElement | string {
  if (attempts.length === 0) return 'none yet';
  return h(
    'ol',
    { class: 'attempts' },
    ...attempts.map((each) => h('li', {}, `${instant(each.at)}: ${attemptWords(each)}`)),
  );
}
