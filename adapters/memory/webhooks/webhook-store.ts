import { activeOwner, type Owner } from '../../../domain/accounts/owner.ts';
import { given } from '../../../domain/given.ts';
import type { Delivery } from '../../../domain/webhooks/delivery.ts';
import { HEALTHY, type Webhook, type WebhookStore } from '../../../domain/webhooks/webhook.ts';
import type { FeedTables } from '../events/event-store.ts';
import type { Table } from '../kit/table.ts';

export interface StoredWebhook extends Webhook {
  /** The number of the last event that became a delivery. */
  readonly place: number;
}

export interface StoredDelivery extends Delivery {
  readonly number: number;
  readonly token: string | null;
}

export interface WebhookTables extends FeedTables {
  readonly owners: Table<string, Owner>;
  /** By id, in the order in which they were added. */
  readonly webhooks: Table<string, StoredWebhook>;
  /** By id, in the order in which they were added. */
  readonly deliveries: Table<string, StoredDelivery>;
}

export function memoryWebhooks(tables: WebhookTables, now: () => Date): WebhookStore {
  const { webhooks, deliveries, feedEvents } = tables;
  const find = (owner_id: string, webhook_id: string) => {
    const row = webhooks.get(webhook_id);
    return row?.owner_id === owner_id ? row : null;
  };
  const put = (row: StoredWebhook) => {
    webhooks.set(row.webhook_id, row);
    return webhookOf(row);
  };
  return {
    async add(draft, atMost) {
      activeOwner(tables.owners.get(draft.owner_id));
      if (webhooks.where(({ owner_id }) => owner_id === draft.owner_id).length >= atMost) return null;
      const place = feedEvents.where(() => true).at(-1)?.number ?? 0;
      return put({ ...HEALTHY, ...draft, former_secret: null, former_until: null, created_at: now(), place });
    },

    async list(owner_id) {
      return webhooks.where((row) => row.owner_id === owner_id).map(webhookOf);
    },

    async find(owner_id, webhook_id) {
      const row = find(owner_id, webhook_id);
      return row && webhookOf(row);
    },

    async change(owner_id, webhook_id, { status, ...changes }) {
      const row = find(owner_id, webhook_id);
      if (!row) return null;
      const health = status === 'active' ? HEALTHY : status && { status };
      if (status === 'active') {
        const at = now();
        for (const each of deliveries.where((each) => each.webhook_id === webhook_id)) {
          if (each.token === null && each.due_at !== null && each.due_at > at)
            deliveries.set(each.delivery_id, { ...each, due_at: at });
        }
      }
      return put({ ...row, ...given({ ...changes, ...health }) });
    },

    async replaceSecret(owner_id, webhook_id, secret, overlap) {
      const row = find(owner_id, webhook_id);
      if (!row) return null;
      return put({ ...row, secret, former_secret: row.secret, former_until: new Date(now().getTime() + overlap) });
    },

    async remove(owner_id, webhook_id) {
      const row = find(owner_id, webhook_id);
      if (!row) return null;
      webhooks.delete(webhook_id);
      deliveries.deleteWhere((each) => each.webhook_id === webhook_id);
      return webhookOf(row);
    },
  };
}

export function webhookOf({ place: _, ...webhook }: StoredWebhook): Webhook {
  return webhook;
}
