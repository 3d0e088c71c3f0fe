import { type DigestLine, oneLine, type ReadMark } from '../events/digest.ts';
import { type FeedEvent, SENT_EVENT_TYPES, type SentEventType } from '../events/event.ts';
import type { Given } from '../given.ts';
import type { Millis } from '../time.ts';

/**
 * - active: its deliveries are sent
 * - disabled: by its owner
 * - gone: its receiver answered 410
 * - paused: it only failed for `WEBHOOK.pauseAfter`
 *
 * One that is not active has no new deliveries; when its owner enables it, it goes on with the event after the last one
 * that became a delivery.
 */
export const WEBHOOK_STATUSES = ['active', 'disabled', 'gone', 'paused'] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

/** How the latest attempts of a webhook ended. */
export interface WebhookHealth {
  readonly status: WebhookStatus;
  /** Failed attempts since the last one that succeeded. */
  readonly failures: number;
  /** When the first of them failed. */
  readonly failing_since: Date | null;
  /** Before that nothing is sent. */
  readonly waits_until: Date | null;
}

/** A URL of an owner that gets the owner's events (docs/webhooks.md). */
export interface Webhook extends WebhookHealth {
  readonly webhook_id: string;
  readonly owner_id: string;
  readonly url: string;
  /** Of `SENT_EVENT_TYPES`; null: all of them, also those that later versions add. */
  readonly event_types: readonly SentEventType[] | null;
  readonly description: string;
  readonly created_at: Date;
  /** Sealed. */
  readonly secret: Uint8Array;
  /** The secret before a rotation, sealed, which also signs before `former_until`. */
  readonly former_secret: Uint8Array | null;
  readonly former_until: Date | null;
}

export const HEALTHY = { status: 'active', failures: 0, failing_since: null, waits_until: null } as const;

/** Whether the event is sent to it. */
export function wants<Event extends Pick<FeedEvent, 'type'>>(
  { event_types }: Pick<Webhook, 'event_types'>,
  event: Event,
): event is Event & { readonly type: SentEventType } {
  return (event_types ?? SENT_EVENT_TYPES).some((type) => type === event.type);
}

/** The lines of a digest: webhooks that fail now, and those to which nothing is sent because they failed. */
export function webhookLines(webhooks: readonly Webhook[], mark: ReadMark | null): readonly DigestLine[] {
  return webhooks.flatMap(({ webhook_id, status, failing_since }) => {
    if (failing_since === null || status === 'disabled') return [];
    return [oneLine(status === 'active' ? 'webhook_failing' : 'webhook_stopped', failing_since, webhook_id, mark)];
  });
}

/** What an owner sets of a webhook. */
export type WebhookSettings = Pick<Webhook, 'url' | 'event_types' | 'description'>;

type WebhookDraft = WebhookSettings & Pick<Webhook, 'webhook_id' | 'owner_id' | 'secret'>;

/** What is left out stays as it is. */
export interface WebhookChanges extends Given<WebhookSettings> {
  /** Enabling it makes it healthy again, and its pending deliveries due. */
  readonly status?: 'active' | 'disabled' | undefined;
}

/** The webhooks of owners. They go with their owner, and their deliveries with them. */
export interface WebhookStore {
  /**
   * Adds an active webhook that gets the events from now on. null: the owner has `atMost`.
   * @throws Problem UNAUTHORIZED for an owner who is gone, ACCOUNT_SUSPENDED
   */
  add(webhook: WebhookDraft, atMost: number): Promise<Webhook | null>;

  /** The oldest first. */
  list(owner_id: string): Promise<readonly Webhook[]>;

  /** null: the owner has no such webhook; so in the other methods. */
  find(owner_id: string, webhook_id: string): Promise<Webhook | null>;

  change(owner_id: string, webhook_id: string, changes: WebhookChanges): Promise<Webhook | null>;

  /** Replaces the secret, which still signs for `overlap`. */
  replaceSecret(owner_id: string, webhook_id: string, secret: Uint8Array, overlap: Millis): Promise<Webhook | null>;

  /** Returns the webhook that it removed. */
  remove(owner_id: string, webhook_id: string): Promise<Webhook | null>;
}
