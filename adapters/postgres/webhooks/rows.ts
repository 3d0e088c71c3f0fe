import type { Attempt, DeliveredEvent, Delivery } from '../../../domain/webhooks/delivery.ts';

/** The columns of `Webhook`. */
export const WEBHOOK_COLUMNS = `webhook_id, owner_id, url, event_types, description, status, failures, failing_since,
  waits_until, secret, former_secret, former_until, created_at`;

/** A delivery as the columns `DELIVERY_COLUMNS` of a row `d`. */
export type DeliveryRow = Omit<Delivery, 'event' | 'attempts'> & {
  readonly event_id: string;
  readonly type: string;
  readonly at: Date;
  readonly data: unknown;
  readonly attempts: readonly (Omit<Attempt, 'at'> & { readonly at: string })[];
};

export const DELIVERY_COLUMNS = `d.delivery_id, d.webhook_id, d.seq::text, d.event_id, d.type, d.at, d.data, d.status,
  d.step, d.due_at, d.attempts, d.created_at`;

export function deliveryOf({ event_id, type, at, data, attempts, ...row }: DeliveryRow): Delivery {
  const event = { id: event_id, type, at, data } as DeliveredEvent;
  return { ...row, event, attempts: attempts.map((attempt) => ({ ...attempt, at: new Date(attempt.at) })) };
}
