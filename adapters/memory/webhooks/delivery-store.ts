import { randomUUID } from 'node:crypto';
import { WEBHOOK } from '../../../domain/limits.ts';
import { type DeliveredEvent, type Delivery, subjectOf } from '../../../domain/webhooks/delivery.ts';
import type { DeliveryStore } from '../../../domain/webhooks/delivery-store.ts';
import { wants } from '../../../domain/webhooks/webhook.ts';
import { type StoredDelivery, type StoredWebhook, type WebhookTables, webhookOf } from './webhook-store.ts';

export function memoryDeliveries(tables: WebhookTables, now: () => Date): DeliveryStore {
  const { webhooks, deliveries, feedEvents, owners } = tables;
  let last = 0;
  /** The webhook whose turn was last. */
  let lastFannedOut = '';
  const add = (webhook_id: string, event: DeliveredEvent): Delivery => {
    const number = ++last;
    const at = now();
    const row: StoredDelivery = {
      ...{ delivery_id: randomUUID(), webhook_id, seq: String(number), number, event, created_at: at },
      ...{ status: 'pending', step: 0, due_at: at, attempts: [], token: null },
    };
    deliveries.set(row.delivery_id, row);
    return deliveryOf(row);
  };
  const open = () =>
    webhooks.where(({ status, owner_id }) => status === 'active' && owners.get(owner_id)?.suspended_at === null);
  const pending = (webhook_id: string) =>
    deliveries.where((row) => row.webhook_id === webhook_id && row.status === 'pending');
  const isOwn = (owner_id: string, webhook_id: string) => webhooks.get(webhook_id)?.owner_id === owner_id;
  const again = (row: StoredDelivery) => {
    const sent: StoredDelivery = {
      ...row,
      status: 'pending',
      step: 0,
      due_at: row.token === null ? now() : row.due_at,
    };
    deliveries.set(row.delivery_id, sent);
    return deliveryOf(sent);
  };
  /** Leases of the owner of a webhook. */
  const running = ({ owner_id }: StoredWebhook) => {
    const at = now();
    const own = webhooks.where((webhook) => webhook.owner_id === owner_id);
    return own.flatMap(({ webhook_id }) => pending(webhook_id)).filter((row) => isLeased(row, at)).length;
  };
  /** Those of a webhook that can be claimed, the oldest first. */
  const claimable = ({ webhook_id, waits_until, failures }: StoredWebhook): StoredDelivery[] => {
    const at = now();
    if (waits_until !== null && waits_until > at) return [];
    const rows = pending(webhook_id);
    const slots = (failures > 0 ? 1 : WEBHOOK.atOnce) - rows.filter((row) => isLeased(row, at)).length;
    const heads = rows.filter((row, n) => !rows.slice(0, n).some((earlier) => isSameSubject(earlier, row)));
    return heads.filter(({ due_at }) => due_at !== null && due_at <= at).slice(0, Math.max(0, slots));
  };
  return {
    async fanOut(limit) {
      const feedBehind = (webhook: StoredWebhook) =>
        feedEvents.where(
          ({ number, owner_id }) => number > webhook.place && (owner_id === null || owner_id === webhook.owner_id),
        );
      const those = open().filter((webhook) => feedBehind(webhook).length > 0);
      const inOrder = those.toSorted((a, b) => (a.webhook_id < b.webhook_id ? -1 : 1));
      const behind = inOrder.find(({ webhook_id }) => webhook_id > lastFannedOut) ?? inOrder[0];
      if (!behind) return 'done';
      lastFannedOut = behind.webhook_id;
      const events = feedBehind(behind).slice(0, limit);
      for (const { event } of events) if (wants(behind, event)) add(behind.webhook_id, event);
      webhooks.set(behind.webhook_id, { ...behind, place: events.at(-1)?.number ?? behind.place });
      return 'moved';
    },

    async claim(limit, lease) {
      const due = open().flatMap((webhook) => claimable(webhook).map((row) => ({ webhook, row })));
      const turns = due
        .toSorted((a, b) => Number(a.row.due_at) - Number(b.row.due_at) || a.row.number - b.row.number)
        .map((each, n, all) => ({ ...each, turn: running(each.webhook) + ofOwner(all.slice(0, n), each.webhook) }));
      return turns
        .toSorted((a, b) => a.turn - b.turn)
        .slice(0, limit)
        .map(({ webhook, row }) => {
          const claimed = { ...row, token: randomUUID(), due_at: new Date(now().getTime() + lease) };
          deliveries.set(row.delivery_id, claimed);
          return { webhook: webhookOf(webhook), delivery: deliveryOf(claimed), token: claimed.token };
        });
    },

    async settle({ webhook: { webhook_id }, delivery: { delivery_id }, token }, rule) {
      const [webhook, row] = [webhooks.get(webhook_id), deliveries.get(delivery_id)];
      if (!webhook || row?.token !== token) return false;
      const after = rule(webhookOf(webhook), deliveryOf(row), now());
      webhooks.set(webhook_id, { ...webhook, ...after.webhook });
      deliveries.set(delivery_id, { ...row, ...after.delivery, token: null });
      return true;
    },

    async nextDue() {
      const times = open().flatMap(({ webhook_id, waits_until }) => {
        const rows = pending(webhook_id);
        const heads = rows.filter((row, n) => !rows.slice(0, n).some((earlier) => isSameSubject(earlier, row)));
        return heads.map(({ due_at }) => Math.max(due_at?.getTime() ?? 0, waits_until?.getTime() ?? 0));
      });
      return times.length === 0 ? null : new Date(Math.min(...times));
    },

    async backlog() {
      const at = now();
      const due = open().flatMap(({ webhook_id }) =>
        pending(webhook_id).flatMap(({ due_at }) => (due_at !== null && due_at <= at ? [due_at.getTime()] : [])),
      );
      const stopped = webhooks.where(({ status }) => status === 'paused' || status === 'gone').length;
      return { due: due.length, since: due.length === 0 ? null : new Date(Math.min(...due)), stopped };
    },

    async list(owner_id, webhook_id, { status }, after, limit) {
      if (!isOwn(owner_id, webhook_id)) return null;
      const rows = deliveries.where(
        (row) =>
          row.webhook_id === webhook_id &&
          (status === undefined || row.status === status) &&
          (after === null || row.number < Number(after)),
      );
      return rows.toReversed().slice(0, limit).map(deliveryOf);
    },

    async addTest(owner_id, webhook_id, event_id) {
      if (!isOwn(owner_id, webhook_id)) return null;
      return add(webhook_id, { id: event_id, type: 'webhook.test', at: now(), data: { webhook_id } });
    },

    async resend(owner_id, webhook_id, delivery_id) {
      const row = deliveries.get(delivery_id);
      return row?.webhook_id === webhook_id && isOwn(owner_id, webhook_id) ? again(row) : null;
    },

    async resendFailed(owner_id, webhook_id, since) {
      if (!isOwn(owner_id, webhook_id)) return null;
      const failed = deliveries.where(
        (row) => row.webhook_id === webhook_id && row.status === 'failed' && row.created_at >= since,
      );
      return failed.map(again).length;
    },

    async prune() {
      const before = new Date(now().getTime() - WEBHOOK.kept);
      return deliveries.deleteWhere(({ created_at }) => created_at <= before);
    },
  };
}

function isLeased({ token, due_at }: StoredDelivery, at: Date): boolean {
  return token !== null && due_at !== null && due_at > at;
}

function ofOwner(of: readonly { readonly webhook: StoredWebhook }[], { owner_id }: StoredWebhook): number {
  return of.filter(({ webhook }) => webhook.owner_id === owner_id).length;
}

function isSameSubject(a: Delivery, b: Delivery): boolean {
  return subjectOf(a.event) === subjectOf(b.event);
}

function deliveryOf({ number: _, token: __, ...delivery }: StoredDelivery): Delivery {
  return delivery;
}
