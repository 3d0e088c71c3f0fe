import type { Millis } from '../time.ts';
import type { Delivery, DeliveryStatus, Settled } from './delivery.ts';
import type { Webhook } from './webhook.ts';

/** A delivery that this process alone may send, until its lease ends. */
export interface ClaimedDelivery {
  readonly webhook: Webhook;
  readonly delivery: Delivery;
  readonly token: string;
}

/**
 * - moved: some events became deliveries, and there may be more
 * - waiting: a transaction that is under way hides events that come next
 * - done: every event is a delivery of each active webhook that wants it
 */
export type FanOut = 'moved' | 'waiting' | 'done';

/** What waits, for the operators. */
export interface DeliveryBacklog {
  /** Deliveries of active webhooks that should have been sent. */
  readonly due: number;
  /** Since when the oldest of them; null without one. */
  readonly since: Date | null;
  /** Webhooks that are paused or gone. */
  readonly stopped: number;
}

/** What is to be sent to webhooks, and what became of it. */
export interface DeliveryStore {
  /**
   * Makes deliveries of the events that come next for one webhook, and moves the place of the webhook behind them, in one
   * transaction: each event becomes one delivery of each webhook. Webhooks with such events take turns, so that none waits
   * until another one has all its events. Those of suspended owners wait.
   * @param limit of events
   */
  fanOut(limit: number): Promise<FanOut>;

  /**
   * Up to `limit` deliveries that are due, for `lease`: at most `WEBHOOK.atOnce` of a webhook at a time, or 1 while it
   * fails, and none while an earlier one of the same subject is pending. Those of owners who have the fewest leases come
   * first, so that no owner waits for the backlog of others. The lease of a process that died ends by itself.
   */
  claim(limit: number, lease: Millis): Promise<readonly ClaimedDelivery[]>;

  /**
   * Writes what the rule makes of the webhook and the delivery as they are now. False: the lease had ended and another
   * process took over, or the webhook was removed; then nothing is written.
   */
  settle(
    claimed: ClaimedDelivery,
    rule: (webhook: Webhook, delivery: Delivery, now: Date) => Settled,
  ): Promise<boolean>;

  /** When a delivery can be claimed next; null while none waits. */
  nextDue(): Promise<Date | null>;

  backlog(): Promise<DeliveryBacklog>;

  /** The newest first; only those after `after`, the `seq` of another one. null: the owner has no such webhook. */
  list(
    owner_id: string,
    webhook_id: string,
    filter: { readonly status?: DeliveryStatus | undefined },
    after: string | null,
    limit: number,
  ): Promise<readonly Delivery[] | null>;

  /** Adds a delivery of a `webhook.test` event, due now. null: the owner has no such webhook. */
  addTest(owner_id: string, webhook_id: string, event_id: string): Promise<Delivery | null>;

  /** Makes a delivery due now, with the whole schedule before it. null: the owner has none of that id. */
  resend(owner_id: string, webhook_id: string, delivery_id: string): Promise<Delivery | null>;

  /** The same for all failed deliveries that were made at or after a time; returns how many. null: no such webhook. */
  resendFailed(owner_id: string, webhook_id: string, since: Date): Promise<number | null>;

  /** Removes deliveries that were made `WEBHOOK.kept` ago; returns how many. */
  prune(): Promise<number>;
}
