import { Counter, Gauge, type Registry } from 'prom-client';
import type { Ports } from '../../application/ports.ts';
import { SECOND } from '../../domain/time.ts';
import type { WebhookResult } from '../../domain/webhooks/webhook-sender.ts';

export interface WebhookCounter {
  /** Counts every attempt by its result; null without webhooks. */
  countedSender(sender: Ports['webhookSender']): Ports['webhookSender'];
}

export function webhookCounter(registry: Registry): WebhookCounter {
  const attempts = new Counter({
    name: 'stancebook_webhook_attempts_total',
    help: 'Requests to webhooks: accepted (200 to 299), refused (another status), or why no reply came.',
    labelNames: ['result'],
    registers: [registry],
  });
  return {
    countedSender: (sender) =>
      sender && {
        async send(request) {
          const result = await sender.send(request);
          attempts.inc({ result: wordFor(result) });
          return result;
        },
      },
  };
}

function wordFor(result: WebhookResult): string {
  if (result.outcome === 'failed') return result.reason.toLowerCase();
  return result.status >= 200 && result.status < 300 ? 'accepted' : 'refused';
}

/** Read at each scrape; NaN when the database does not answer. */
export function webhookGauges(registry: Registry, { deliveries, clock }: Pick<Ports, 'deliveries' | 'clock'>) {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const due = gauge('stancebook_webhook_deliveries_due', 'Deliveries of active webhooks that should have been sent.');
  const late = gauge('stancebook_webhook_delivery_lag_seconds', 'How long the oldest of them has been due.');
  const stopped = gauge('stancebook_webhooks_stopped', 'Webhooks that are paused after failures, or gone (410).');
  return async () => {
    const now = await clock.now().catch(() => null);
    const backlog = now && (await deliveries.backlog().catch(() => null));
    due.set(backlog?.due ?? Number.NaN);
    stopped.set(backlog?.stopped ?? Number.NaN);
    late.set(backlog && now ? (now.getTime() - (backlog.since ?? now).getTime()) / SECOND : Number.NaN);
  };
}
