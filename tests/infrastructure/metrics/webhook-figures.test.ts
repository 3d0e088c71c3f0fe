import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { openMemory } from '../../../adapters/memory/storage.ts';
import { MINUTE } from '../../../domain/time.ts';
import type { WebhookResult } from '../../../domain/webhooks/delivery.ts';
import { createMetrics } from '../../../infrastructure/metrics/metrics.ts';
import { anOwner } from '../../builders/accounts.ts';
import { aWebhook } from '../../builders/webhooks.ts';

test('attempts are counted by their result', async () => {
  const results: WebhookResult[] = [
    { outcome: 'answered', status: 204, retryAfter: null },
    { outcome: 'answered', status: 200, retryAfter: null },
    { outcome: 'answered', status: 410, retryAfter: null },
    { outcome: 'failed', reason: 'TIMED_OUT' },
  ];
  const metrics = createMetrics(openMemory());
  const sent = results.values();
  const sender = metrics.countedSender({ send: async () => sent.next().value as WebhookResult });
  for (const result of results) expect(await sender?.send({ url: '', headers: {}, body: '' })).toBe(result);
  const counted = (await metrics.text()).match(/^stancebook_webhook_attempts_total.*$/gm);
  expect(counted?.toSorted()).toEqual([
    'stancebook_webhook_attempts_total{result="accepted"} 2',
    'stancebook_webhook_attempts_total{result="refused"} 1',
    'stancebook_webhook_attempts_total{result="timed_out"} 1',
  ]);
  expect(metrics.countedSender(null)).toBeNull();
});

test('deliveries that are due, how long the oldest has been, and webhooks that stopped', async () => {
  let now = Date.parse('2026-03-02T12:00:00Z');
  const storage = openMemory({ now: () => new Date(now) });
  const owner = anOwner();
  await storage.owners.add(owner);
  const { owner_id } = owner;
  const add = async () => {
    const { webhook_id } = aWebhook();
    await storage.webhooks.add(aWebhook({ owner_id, webhook_id }), 10);
    await storage.deliveries.addTest(owner_id, webhook_id, randomUUID());
  };
  await add();
  for (const claimed of await storage.deliveries.claim(1, MINUTE)) {
    await storage.deliveries.settle(claimed, (webhook, delivery) => ({
      webhook: { ...webhook, status: 'gone' },
      delivery,
    }));
  }
  await add();
  now += MINUTE;
  const text = await createMetrics(storage).text();
  expect(text).toMatch(/^stancebook_webhook_deliveries_due 1$/m);
  expect(text).toMatch(/^stancebook_webhook_delivery_lag_seconds 60$/m);
  expect(text).toMatch(/^stancebook_webhooks_stopped 1$/m);
});
