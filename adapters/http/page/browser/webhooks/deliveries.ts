import { attempt } from '../kit/actions.ts';
import { ask } from '../kit/ask.ts';
import { button, fill, h } from '../kit/elements.ts';
import { choiceField } from '../kit/forms.ts';
import type { Schemas } from '../kit/schemas.ts';
import { showReading } from '../kit/states.ts';
import { pagedTable, type WirePage } from '../kit/tables.ts';
import { instant } from '../kit/value-texts.ts';
import { attemptWords } from './webhook-words.ts';

type Delivery = Schemas['WebhookDelivery'];

/** Before any delivery that is kept. */
const BEFORE_ALL = '2000-01-01T00:00:00Z';

/** What was sent to a webhook, with its attempts; each can be sent again. @param address that of the webhook */
export async function showDeliveries(box: HTMLElement, address: string, signal: AbortSignal): Promise<void> {
  const status = choiceField({ name: 'status', label: 'Show' }, [
    ['', 'all deliveries'],
    ['pending', 'pending ones'],
    ['delivered', 'delivered ones'],
    ['failed', 'failed ones'],
  ]);
  const list = h('div');
  const renew = () => showList(list, address, status.control.value, signal);
  status.control.addEventListener('change', renew);
  const resendAll = async () => {
    const body = { since: BEFORE_ALL };
    const isDone = await attempt('They are not sent again', 'All failed deliveries are sent again.', () =>
      ask(`${address}/resend-failed`, { method: 'POST', body }),
    );
    if (isDone) await renew();
  };
  const again = button('Send all failed ones again', resendAll);
  fill(box, h('div', { class: 'filters' }, status.element, again), list);
  await renew();
}

async function showList(list: HTMLElement, address: string, status: string, signal: AbortSignal): Promise<void> {
  const read = (cursor?: string) => {
    const query = new URLSearchParams({
      ...(status === '' ? {} : { status }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    return ask<WirePage<Delivery>>(`${address}/deliveries?${query}`, { signal });
  };
  const resend = async ({ delivery_id }: Delivery) => {
    const isDone = await attempt('It is not sent again', 'It is sent again.', () =>
      ask(`${address}/deliveries/${delivery_id}/resend`, { method: 'POST' }),
    );
    if (isDone) await showList(list, address, status, signal);
  };
  await showReading(list, signal, {
    what: 'the deliveries',
    read: () => read(),
    show: (first) =>
      first.items.length === 0
        ? []
        : pagedTable<Delivery>({
            caption: 'Deliveries, the newest first.',
            first,
            next: read,
            more: 'Show older deliveries',
            signal,
            columns: [
              {
                title: 'Event',
                cell: ({ event_type, event_id }) => [
                  event_type,
                  h('span', { class: 'about' }, h('code', {}, event_id)),
                ],
              },
              { title: 'State', cell: stateWords },
              { title: 'Attempts', cell: attemptList },
              {
                title: 'Actions',
                kind: 'actions',
                cell: (delivery) =>
                  h(
                    'div',
                    { class: 'buttons' },
                    button('Send again', () => resend(delivery), { 'aria-label': `Send again ${delivery.event_id}` }),
                  ),
              },
            ],
          }),
    none: 'Nothing was sent yet. Send a test.',
  });
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
