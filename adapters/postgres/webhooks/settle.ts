import type { Delivery, Settled } from '../../../domain/webhooks/delivery.ts';
import type { ClaimedDelivery } from '../../../domain/webhooks/delivery-store.ts';
import type { Webhook } from '../../../domain/webhooks/webhook.ts';
import { WEBHOOKS } from '../entities/webhooks.ts';
import type { Sql } from '../kit/sql.ts';
import { DELIVERY_COLUMNS, type DeliveryRow, deliveryOf, WEBHOOK_COLUMNS } from './rows.ts';

/** `DeliveryStore.settle`, inside a transaction. */
export async function settle(
  sql: Sql,
  { webhook: { webhook_id }, delivery: { delivery_id }, token }: ClaimedDelivery,
  rule: (webhook: Webhook, delivery: Delivery, now: Date) => Settled,
): Promise<boolean> {
  const [webhook] = await sql.rows<Webhook>(LOCK_WEBHOOK, [webhook_id]);
  const [row] = await sql.rows<DeliveryRow & Locked>(LOCK_DELIVERY, [delivery_id, token]);
  if (!webhook || !row) return false;
  const { now, subject, ...before } = row;
  const after = rule(webhook, deliveryOf(before), now);
  const { status, failures, failing_since, waits_until } = after.webhook;
  await sql.tables.update(WEBHOOKS, { webhook_id }, { status, failures, failing_since, waits_until });
  const { step, due_at, attempts } = after.delivery;
  await sql.rows(UPDATE, [delivery_id, after.delivery.status, step, due_at, JSON.stringify(attempts)]);
  await sql.rows(FOLLOW, [webhook_id, subject, row.seq, due_at ?? now]);
  return true;
}

interface Locked {
  readonly subject: string;
  readonly now: Date;
}

const LOCK_WEBHOOK = `select ${WEBHOOK_COLUMNS} from app.webhooks where webhook_id = $1 for no key update`;

const LOCK_DELIVERY = `
  select ${DELIVERY_COLUMNS}, d.subject, (select app.now()) as now from app.webhook_deliveries d
  where d.delivery_id = $1 and d.token = $2 for no key update`;

const UPDATE = `
  update app.webhook_deliveries set status = $2, step = $3, due_at = $4, attempts = $5, token = null
  where delivery_id = $1`;

/** What waits for this one is looked at when this one is due again, or now. */
const FOLLOW = `
  update app.webhook_deliveries set due_at = $4
  where webhook_id = $1 and subject = $2 and seq > $3 and status = 'pending' and token is null`;
