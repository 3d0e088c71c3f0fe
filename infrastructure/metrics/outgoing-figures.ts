import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { PoolUse } from '../../adapters/postgres/kit/pool.ts';
import type { ReplicaUse } from '../../adapters/postgres/kit/replica.ts';
import type { Ports } from '../../application/ports.ts';
import { SECOND } from '../../domain/time.ts';
import type { WebhookResult } from '../../domain/webhooks/delivery.ts';

export interface OutgoingCounters extends WebhookCounter, MailCounter {}

export function outgoingCounters(registry: Registry): OutgoingCounters {
  return { ...webhookCounter(registry), ...mailCounter(registry) };
}

/** The gauges of what waits to be sent; each function reads some of them. */
export function outgoingGauges(registry: Registry, ports: Pick<Ports, 'deliveries' | 'mails' | 'clock'>) {
  return [webhookGauges(registry, ports), mailGauges(registry, ports)];
}

interface WebhookCounter {
  /** Counts every attempt by its result; null without webhooks. */
  countedSender(sender: Ports['webhookSender']): Ports['webhookSender'];
}

function webhookCounter(registry: Registry): WebhookCounter {
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
function webhookGauges(registry: Registry, { deliveries, clock }: Pick<Ports, 'deliveries' | 'clock'>) {
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

interface MailCounter {
  /** Counts every attempt by its result; null without mail. */
  countedMails(sender: Ports['mailSender']): Ports['mailSender'];
}

function mailCounter(registry: Registry): MailCounter {
  const attempts = new Counter({
    name: 'stancebook_mail_attempts_total',
    help: 'Attempts to hand a mail to the server: accepted, or why it was not.',
    labelNames: ['result'],
    registers: [registry],
  });
  return {
    countedMails: (sender) =>
      sender && {
        ...sender,
        async send(mail) {
          const result = await sender.send(mail);
          attempts.inc({ result: result.outcome === 'accepted' ? 'accepted' : result.reason });
          return result;
        },
      },
  };
}

/** Read at each scrape; NaN when the database does not answer. */
function mailGauges(registry: Registry, { mails, clock }: Pick<Ports, 'mails' | 'clock'>) {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const due = gauge('stancebook_mails_due', 'Mails that should have been sent.');
  const late = gauge('stancebook_mail_lag_seconds', 'How long the oldest of them has been queued.');
  return async () => {
    const now = await clock.now().catch(() => null);
    const backlog = now && (await mails.backlog().catch(() => null));
    due.set(backlog?.due ?? Number.NaN);
    late.set(backlog && now ? (now.getTime() - (backlog.since ?? now).getTime()) / SECOND : Number.NaN);
  };
}

interface ProcessFigures {
  readonly registry: Registry;
  /** Begins to observe the process, unless that has begun. What observes is never closed: it ends with the process. */
  observe(): void;
}

/** Memory, processor, event loop and garbage collector of this process. */
export function processFigures(): ProcessFigures {
  const registry = new Registry();
  let isObserved = false;
  return {
    registry,
    observe() {
      if (!isObserved) collectDefaultMetrics({ register: registry });
      isObserved = true;
    },
  };
}

/** The connections of this process to the database. */
export function poolFigures(registry: Registry, pool: () => PoolUse): void {
  new Gauge({
    name: 'stancebook_database_connections',
    help: 'Connections of this process to the database: in use, idle, and requests that wait for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(pool())) this.set({ state }, count);
    },
  });
}

/** Reads of this process that may go to a replica, copied at each scrape. */
export function replicaReads(registry: Registry, { reads }: Pick<ReplicaUse, 'reads'>): void {
  new Counter({
    name: 'stancebook_replica_reads_total',
    help: 'Reads that may go to the replica, by the server that answered and, for the primary, the reason.',
    labelNames: ['answered_by', 'reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { answered_by, reason, count } of reads()) this.inc({ answered_by, reason }, count);
    },
  });
}

/** Read at each scrape; NaN when it is unknown. */
export function replicaLag(registry: Registry, { lag }: Pick<ReplicaUse, 'lag'>) {
  const help =
    "Bytes of the primary's log that the replica has not replayed; NaN: not reachable, or of another primary.";
  const gauge = new Gauge({ name: 'stancebook_replica_lag_bytes', help, registers: [registry] });
  return async () => gauge.set((await lag()) ?? Number.NaN);
}
