import { randomUUID } from 'node:crypto';
import { type ActionSource, eventOf, type SecurityEventKind } from '../../domain/accounts/security-event.ts';
import { WEBHOOK } from '../../domain/limits.ts';
import { Problem } from '../../domain/problem.ts';
import type { Webhook } from '../../domain/webhooks/webhook.ts';
import type { WebhookChanges } from '../../domain/webhooks/webhook-store.ts';
import { webhookUrlProblem } from '../../domain/webhooks/webhook-url.ts';
import type { ConfirmLogin } from '../accounts/sign-in/recent-login.ts';
import { filterProblem } from '../decisions/filter-faults.ts';
import type { Ports, Stores } from '../ports.ts';
import { keep } from '../quotas/keep.ts';
import { makeSecret } from './webhook-secret.ts';

type WebhookPorts = Pick<Ports, 'transaction' | 'settings' | 'wake'>;

/** Who acts on their webhooks, by which request. */
export interface WebhookAction {
  readonly owner_id: string;
  /** As addresses are counted. */
  readonly network: string;
  readonly source: ActionSource;
  readonly confirmLogin: ConfirmLogin;
}

export type NewWebhook = Pick<Webhook, 'url' | 'event_types' | 'description'>;

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
  wanted: NewWebhook,
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
export function found<T>(webhook: T | null): T {
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
