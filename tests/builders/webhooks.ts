import { randomUUID } from 'node:crypto';
import type { Delivery } from '../../domain/webhooks/delivery.ts';
import { HEALTHY, type Webhook } from '../../domain/webhooks/webhook.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');

export function aWebhook(changes: Partial<Webhook> = {}): Webhook {
  return {
    ...HEALTHY,
    ...{ webhook_id: randomUUID(), owner_id: randomUUID(), url: 'https://example.com/webhooks' },
    ...{ event_types: null, description: '', created_at: AT },
    ...{ secret: new Uint8Array([1, 2, 3]), former_secret: null, former_until: null },
    ...changes,
  };
}

export function aDelivery(changes: Partial<Delivery> = {}): Delivery {
  const webhook_id = randomUUID();
  return {
    ...{ delivery_id: randomUUID(), webhook_id, seq: '1', created_at: AT },
    event: { id: randomUUID(), type: 'webhook.test', at: AT, data: { webhook_id } },
    ...{ status: 'pending', step: 0, due_at: AT, attempts: [] },
    ...changes,
  };
}
