import type { Millis } from '../time.ts';
import type { Webhook } from './webhook.ts';

export type WebhookDraft = Pick<Webhook, 'webhook_id' | 'owner_id' | 'url' | 'event_types' | 'description' | 'secret'>;

/** What is left out stays as it is. */
export interface WebhookChanges {
  readonly url?: string | undefined;
  readonly event_types?: Webhook['event_types'] | undefined;
  readonly description?: string | undefined;
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
