import { ask } from '../../kit/ask.ts';
import { h } from '../../kit/elements.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { showReading } from '../../kit/states.ts';
import { counted, instant } from '../../kit/value-texts.ts';
import { noticesOf } from './notice-words.ts';

/** What the owner should act on. Nothing is shown if there is nothing. */
export async function showNotices(
  box: HTMLElement,
  signal: AbortSignal,
  readCounts: () => Promise<Schemas['Dashboard']>,
): Promise<void> {
  await showReading(box, signal, {
    what: 'notices',
    async read() {
      const [dashboard, webhooks, legal, erasure] = await Promise.all([
        readCounts(),
        ask<Schemas['WebhookPage']>('/api/v1/owner/webhooks', { signal }),
        ask<Schemas['LegalStatus']>('/api/v1/owner/legal-status', { signal }),
        ask<Schemas['ScheduledErasure']>('/api/v1/owner/erasure', { signal }),
      ]);
      return {
        dashboard,
        notices: noticesOf({ expiring: dashboard.expiring_keys, webhooks: webhooks.items, legal, erasure }, instant),
      };
    },
    show: ({ dashboard, notices }) => [
      notices.length > 0 &&
        h(
          'ul',
          { class: 'notices', 'aria-label': 'Notices' },
          ...notices.map(({ words, href, action }) =>
            h('li', { class: 'notice' }, `${words} `, h('a', { href }, action), '.'),
          ),
        ),
      tiles(dashboard),
    ],
  });
}

function tiles({
  agents,
  keys,
  decisions: { by_state: states, by_bucket, archived },
  generated_at,
}: Schemas['Dashboard']): HTMLElement {
  const buckets = Object.entries(by_bucket).map(([bucket, count]) => [bucket.replace('_', ' '), count] as const);
  const shown = [
    ['agents', agents],
    ['keys', keys],
    ['verified, not due yet', states.verified],
    ['graded', states.evaluated],
    ...buckets,
  ] as const;
  return h(
    'div',
    {},
    h(
      'dl',
      { class: 'tiles', 'aria-label': 'Counts' },
      ...shown.map(([name, count]) =>
        h('div', { class: 'tile' }, h('dt', {}, name), h('dd', {}, count.toLocaleString('en-GB'))),
      ),
    ),
    h('p', { class: 'about' }, `${counted(archived, 'record')} archived. Counted ${instant(generated_at)}.`),
  );
}
