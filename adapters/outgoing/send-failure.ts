import type { WebhookFailure } from '../../domain/webhooks/webhook-sender.ts';

/** Ends an attempt before a status has arrived. */
export class SendFailure extends Error {
  override readonly name = 'SendFailure';
  readonly reason: WebhookFailure;

  constructor(reason: WebhookFailure, options?: ErrorOptions) {
    super(reason, options);
    this.reason = reason;
  }
}
