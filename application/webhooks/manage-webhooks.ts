import { randomUUID } from 'node:crypto';
import { type ActionSource, eventOf, type SecurityEventKind } from '../../domain/accounts/security-event.ts';
import { WEBHOOK } from '../../domain/limits.ts';
import { Problem } from '../../domain/problem.ts';
import { HOUR } from '../../domain/time.ts';
import type { Delivery, DeliveryStatus } from '../../domain/webhooks/delivery.ts';
import type { Webhook, WebhookChanges, WebhookSettings } from '../../domain/webhooks/webhook.ts';
import { webhookUrlProblem } from '../../domain/webhooks/webhook-url.ts';
import type { ConfirmLogin } from '../accounts/sign-in/recent-login.ts';
import { counted } from '../accounts/sign-in/register-owner.ts';
import { filterProblem } from '../decisions/read-track-record.ts';
import { type CursorPage, type CursorQuery, cutPage, sealCursor, sealedPlace } from '../page-cursor.ts';
import type { Ports, Stores } from '../ports.ts';
import { keep } from '../quotas/keep.ts';
import { sha256 } from '../sha256.ts';
import { makeSecret } from './deliver-webhooks.ts';

type WebhookPorts = Pick<Ports, 'transaction' | 'settings' | 'wake'>;

/** Who acts on their webhooks, by which request. */
export interface WebhookAction {
  readonly owner_id: string;
  /** As addresses are counted. */
  readonly network: string;
  readonly source: ActionSource;
  readonly confirmLogin: ConfirmLogin;
}

/** A webhook, and its secret, which is shown once. */
export interface WebhookSecret {
  readonly webhook: Webhook;
  readonly secret: string;
}

/**
 * Creates a webhook that gets the events from now on.
 * @throws Problem VALIDATION_ERROR for a URL, REAUTHENTICATION_REQUIRED, TIER_LIMIT_REACHED for more than `WEBHOOK.perOwner`,
 * DAILY_QUOTA_EXCEEDED, UNAUTHORIZED for an owner who is gone, ACCOUNT_SUSPENDED
 */
export async function createWebhook(
  { transaction, settings }: WebhookPorts,
  { owner_id, network, source, confirmLogin }: WebhookAction,
  wanted: WebhookSettings,
): Promise<WebhookSecret> {
  refuseUrl(settings, wanted.url);
  const webhook_id = randomUUID();
  const { secret, sealed } = makeSecret(settings.sessionSecret, webhook_id);
  return transaction(async (stores) => {
    await confirmLogin(stores);
    const webhook = await stores.webhooks.add({ ...wanted, webhook_id, owner_id, secret: sealed }, WEBHOOK.perOwner);
    if (!webhook) throw webhooksFull();
    await note(stores, 'webhook_created', 'create_webhook', webhook, source);
    await keep(stores, settings, { owner_id, network }, 'account_change');
    return { webhook, secret };
  });
}

/**
 * Changes what is sent where, or stops and starts it. Another URL needs a recent login.
 * @throws Problem VALIDATION_ERROR for a URL, REAUTHENTICATION_REQUIRED, NOT_FOUND, DAILY_QUOTA_EXCEEDED
 */
export async function changeWebhook(
  { transaction, settings, wake }: WebhookPorts,
  { owner_id, network, source, confirmLogin }: WebhookAction,
  webhook_id: string,
  changes: WebhookChanges,
): Promise<Webhook> {
  const { url } = changes;
  if (url !== undefined) refuseUrl(settings, url);
  const changed = await transaction(async (stores) => {
    if (url !== undefined) await confirmLogin(stores);
    const webhook = found(await stores.webhooks.change(owner_id, webhook_id, changes));
    if (url === undefined) return webhook;
    await note(stores, 'webhook_changed', 'change_webhook', webhook, source);
    await keep(stores, settings, { owner_id, network }, 'account_change');
    return webhook;
  });
  if (changes.status === 'active') wake('deliver-webhooks');
  return changed;
}

/**
 * Gives a webhook a new secret; the one before signs too for `WEBHOOK.secretOverlap`, and no older one does.
 * @throws Problem REAUTHENTICATION_REQUIRED, NOT_FOUND, DAILY_QUOTA_EXCEEDED
 */
export async function rotateWebhookSecret(
  { transaction, settings }: WebhookPorts,
  { owner_id, network, source, confirmLogin }: WebhookAction,
  webhook_id: string,
): Promise<WebhookSecret> {
  const { secret, sealed } = makeSecret(settings.sessionSecret, webhook_id);
  return transaction(async (stores) => {
    await confirmLogin(stores);
    const { secretOverlap } = WEBHOOK;
    const webhook = found(await stores.webhooks.replaceSecret(owner_id, webhook_id, sealed, secretOverlap));
    await note(stores, 'webhook_secret_rotated', 'rotate_webhook_secret', webhook, source);
    await keep(stores, settings, { owner_id, network }, 'account_change');
    return { webhook, secret };
  });
}

/** Removes a webhook with its deliveries. @throws Problem NOT_FOUND */
export async function removeWebhook(
  { transaction }: Pick<WebhookPorts, 'transaction'>,
  { owner_id, source }: Pick<WebhookAction, 'owner_id' | 'source'>,
  webhook_id: string,
): Promise<void> {
  await transaction(async (stores) => {
    const webhook = found(await stores.webhooks.remove(owner_id, webhook_id));
    await note(stores, 'webhook_removed', 'remove_webhook', webhook, source);
  });
}

/** @throws Problem NOT_FOUND */
export async function findWebhook(
  { webhooks }: Pick<Ports, 'webhooks'>,
  owner_id: string,
  webhook_id: string,
): Promise<Webhook> {
  return found(await webhooks.find(owner_id, webhook_id));
}

/** What an owner has. @throws Problem NOT_FOUND for null */
function found<T>(webhook: T | null): T {
  if (webhook !== null) return webhook;
  const suggestion = 'GET /api/v1/owner/webhooks lists your webhooks.';
  throw new Problem('NOT_FOUND', 'You have no such webhook.', { suggestion });
}

function refuseUrl({ webhookAllowPrivate: allowPrivate }: Ports['settings'], url: string): void {
  const message = webhookUrlProblem(url, { allowPrivate });
  if (message !== null) throw filterProblem({ path: 'url', message });
}

function webhooksFull(): Problem {
  return new Problem('TIER_LIMIT_REACHED', `An account holds ${WEBHOOK.perOwner} webhooks, and you have that many.`, {
    suggestion: 'Remove one that you no longer use: DELETE /api/v1/owner/webhooks/{webhook_id}.',
  });
}

/** Without the address: entries of the audit log stay when their owner is erased. */
async function note(
  { securityEvents, audit }: Stores,
  kind: SecurityEventKind,
  action: string,
  { owner_id, webhook_id: subject }: Webhook,
  source: ActionSource,
): Promise<void> {
  await securityEvents.append({ ...eventOf(kind, 'success', owner_id, source), subject });
  await audit.append({ actor: owner_id, action, subject, detail: {} });
}

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
