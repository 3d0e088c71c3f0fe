import { randomBytes } from 'node:crypto';
import { WEBHOOK } from '../../domain/limits.ts';
import {
  type AttemptResult,
  afterAttempt,
  payloadOf,
  secretOfKey,
  signatureHeaders,
  type WebhookSender,
} from '../../domain/webhooks/delivery.ts';
import type { ClaimedDelivery, FanOut } from '../../domain/webhooks/delivery-store.ts';
import type { Ports } from '../ports.ts';
import { openSecret, type SecretValues, sealSecret } from '../sealed-secret.ts';
import { hmacSha256 } from '../sha256.ts';

/** Of a new secret. */
const KEY_BYTES = 32;

export type DeliveryPorts = Pick<Ports, 'deliveries' | 'webhookSender' | 'clock' | 'settings' | 'report'>;

/**
 * Makes deliveries of new events and sends what is due: each delivery is sent at least once, and again until a receiver
 * accepts it (`afterAttempt`). Several processes share the work. It ends when nothing is due, or begins no request after
 * `WEBHOOK.sweep`. Neither a slow receiver nor many new events keep what is due from being sent.
 * @returns when there is more to do; null: when something new happens
 */
export async function deliverWebhooks(ports: DeliveryPorts): Promise<Date | null> {
  const { deliveries, webhookSender: sender, clock } = ports;
  if (sender === null) return null;
  const end = performance.now() + WEBHOOK.sweep;
  const running = new Set<Promise<void>>();
  for (;;) {
    const fanned = await fanOutSome(ports);
    const isOver = performance.now() >= end;
    const free = isOver ? 0 : WEBHOOK.ofProcess - running.size;
    const claimed = free > 0 ? await deliveries.claim(free, WEBHOOK.lease) : [];
    for (const each of claimed) {
      const sent: Promise<void> = deliver(ports, sender, each).finally(() => running.delete(sent));
      running.add(sent);
    }
    const mayGoOn = fanned === 'moved' && !isOver;
    if (running.size === 0 && !mayGoOn) return nextSweep(await deliveries.nextDue(), await clock.now(), fanned);
    if (!mayGoOn || claimed.length === free) await oneOrSoon(running);
  }
}

/** Until one has ended, or `WEBHOOK.lookAgain`: what becomes due meanwhile is not for the slow ones to hold up. */
async function oneOrSoon(running: ReadonlySet<Promise<void>>): Promise<void> {
  const soon = Promise.withResolvers<void>();
  const timer = setTimeout(soon.resolve, WEBHOOK.lookAgain);
  await Promise.race([...running, soon.promise]);
  clearTimeout(timer);
}

/** Not at once: what is due and could not be claimed is being sent, by another process. */
function nextSweep(due: Date | null, now: Date, fanned: FanOut): Date | null {
  const soon = new Date(now.getTime() + WEBHOOK.lookAgain);
  return fanned !== 'done' || (due !== null && due < soon) ? soon : due;
}

async function fanOutSome({ deliveries }: DeliveryPorts): Promise<FanOut> {
  let fanned: FanOut = 'moved';
  for (let n = 0; fanned === 'moved' && n < WEBHOOK.fanOuts; n += 1) fanned = await deliveries.fanOut(WEBHOOK.fanOut);
  return fanned;
}

/** A fault of ours leaves the delivery to the end of its lease, and stops no other one. */
async function deliver(ports: DeliveryPorts, sender: WebhookSender, claimed: ClaimedDelivery): Promise<void> {
  try {
    const result = await attempt(ports, sender, claimed);
    await ports.deliveries.settle(claimed, (webhook, delivery, now) =>
      afterAttempt(webhook, delivery, result, now, Math.random()),
    );
  } catch (error) {
    ports.report(error, { delivery_id: claimed.delivery.delivery_id });
  }
}

async function attempt(
  { clock, settings }: DeliveryPorts,
  sender: WebhookSender,
  { webhook, delivery: { event } }: ClaimedDelivery,
): Promise<AttemptResult> {
  const { webhook_id, url, secret, former_secret, former_until } = webhook;
  const timestamp = await clock.now();
  const sealed = former_secret && former_until && timestamp < former_until ? [secret, former_secret] : [secret];
  const secrets = sealed.map((each) => webhookSecret(settings.sessionSecret, webhook_id, each));
  const readable = secrets.filter((each) => each !== null);
  if (secrets[0] === null) return { outcome: 'failed', reason: 'SECRET_UNREADABLE' };
  const body = JSON.stringify(payloadOf(event));
  const headers = signatureHeaders({ id: event.id, timestamp, body, secrets: readable }, hmacSha256);
  return sender.send({ url, headers, body });
}

interface NewSecret {
  /** As its owner sees it, once. */
  readonly secret: string;
  readonly sealed: Uint8Array;
}

/** A new secret for one webhook. @param sessionSecret SESSION_SECRET */
export function makeSecret(sessionSecret: SecretValues, webhook_id: string): NewSecret {
  const secret = secretOfKey(randomBytes(KEY_BYTES));
  return { secret, sealed: sealWebhookSecret(sessionSecret, webhook_id, secret) };
}

export function sealWebhookSecret(sessionSecret: SecretValues, webhook_id: string, secret: string): Uint8Array {
  return sealSecret(sealedFor(sessionSecret, webhook_id), secret);
}

/** The secret of a webhook; null when it was sealed for another one, under another SESSION_SECRET, or was changed. */
export function webhookSecret(sessionSecret: SecretValues, webhook_id: string, sealed: Uint8Array): string | null {
  return openSecret(sealedFor(sessionSecret, webhook_id), sealed);
}

function sealedFor(sessionSecret: SecretValues, row: string) {
  return { sessionSecret, purpose: 'webhook secrets', row };
}
