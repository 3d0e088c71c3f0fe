import { randomUUID } from 'node:crypto';
import { WEBHOOK } from '../../domain/limits.ts';
import { Problem } from '../../domain/problem.ts';
import { HOUR } from '../../domain/time.ts';
import type { Delivery, DeliveryStatus } from '../../domain/webhooks/delivery.ts';
import { counted } from '../accounts/sign-in/counted.ts';
import { type CursorPage, type CursorQuery, cutPage, sealCursor, sealedPlace } from '../page-cursor.ts';
import type { Ports } from '../ports.ts';
import { sha256 } from '../sha256.ts';
import { found } from './manage-webhooks.ts';

type OwnWebhook = Readonly<Record<'owner_id' | 'webhook_id', string>>;

/**
 * A page of the deliveries of a webhook, the newest first.
 * @throws Problem NOT_FOUND, VALIDATION_ERROR for a cursor of another query
 */
export async function listDeliveries(
  { deliveries, settings }: Pick<Ports, 'deliveries' | 'settings'>,
  { owner_id, webhook_id }: OwnWebhook,
  { cursor, limit, status }: CursorQuery & { readonly status?: DeliveryStatus | undefined },
): Promise<CursorPage<Delivery>> {
  const about = ['webhook deliveries', webhook_id, status ?? null];
  const after = sealedPlace(settings.sessionSecret, about, cursor) as string | null;
  const read = async (most: number) => found(await deliveries.list(owner_id, webhook_id, { status }, after, most));
  const { rows: items, last } = await cutPage(read, limit);
  return { items, next_cursor: last ? sealCursor(settings.sessionSecret, about, last.seq) : null };
}

/** Sends a `webhook.test` event. @throws Problem NOT_FOUND, RATE_LIMIT_EXCEEDED after `WEBHOOK.testsPerHour` */
export async function testWebhook(
  ports: Pick<Ports, 'deliveries' | 'logins' | 'wake'>,
  { owner_id, webhook_id }: OwnWebhook,
): Promise<Delivery> {
  const test = () => ports.deliveries.addTest(owner_id, webhook_id, randomUUID());
  const delivery = await counted(ports, [sendsOf('tests', owner_id)], async () => found(await test()));
  ports.wake('deliver-webhooks');
  return delivery;
}

/**
 * Sends a delivery again, also one that was delivered, with the whole schedule before it.
 * @throws Problem NOT_FOUND, RATE_LIMIT_EXCEEDED after `WEBHOOK.testsPerHour`
 */
export async function resendDelivery(
  ports: Pick<Ports, 'deliveries' | 'logins' | 'wake'>,
  { owner_id, webhook_id }: OwnWebhook,
  delivery_id: string,
): Promise<Delivery> {
  const delivery = await counted(ports, [sendsOf('resends', owner_id)], async () => {
    const resent = await ports.deliveries.resend(owner_id, webhook_id, delivery_id);
    if (resent) return resent;
    const suggestion = 'GET /api/v1/owner/webhooks/{webhook_id}/deliveries lists the deliveries of a webhook.';
    throw new Problem('NOT_FOUND', 'Your webhook has no such delivery.', { suggestion });
  });
  ports.wake('deliver-webhooks');
  return delivery;
}

/** Sends all deliveries again that failed and were made at or after a time; returns how many. @throws as `testWebhook` */
export async function resendFailed(
  ports: Pick<Ports, 'deliveries' | 'logins' | 'wake'>,
  { owner_id, webhook_id }: OwnWebhook,
  since: Date,
): Promise<number> {
  const resend = () => ports.deliveries.resendFailed(owner_id, webhook_id, since);
  const resent = await counted(ports, [sendsOf('resends', owner_id)], async () => found(await resend()));
  ports.wake('deliver-webhooks');
  return resent;
}

/** Each may make a request to a receiver that did not want it. */
function sendsOf(what: 'tests' | 'resends', owner_id: string) {
  return {
    subject: sha256(`webhook ${what}`, owner_id),
    most: WEBHOOK.testsPerHour,
    window: HOUR,
    message: `An account may send ${WEBHOOK.testsPerHour} ${what} of webhooks an hour.`,
    suggestion: 'Wait retry_after_seconds.',
  };
}
