import type { EventType } from '../events/event.ts';

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
  /** null: events of every type, also of types that later versions add. */
  readonly event_types: readonly EventType[] | null;
  readonly description: string;
  readonly created_at: Date;
  /** Sealed. */
  readonly secret: Uint8Array;
  /** The secret before a rotation, sealed, which also signs before `former_until`. */
  readonly former_secret: Uint8Array | null;
  readonly former_until: Date | null;
}

export const HEALTHY = { status: 'active', failures: 0, failing_since: null, waits_until: null } as const;

/** Whether events of the type are sent to it. */
export function wants({ event_types }: Pick<Webhook, 'event_types'>, type: EventType): boolean {
  return event_types === null || event_types.includes(type);
}
