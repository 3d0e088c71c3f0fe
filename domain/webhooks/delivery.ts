import type { FeedEvent, SentEventType } from '../events/event.ts';
import { WEBHOOK, WEBHOOK_SECRET } from '../limits.ts';
import { base64Of, bytesOfBase64 } from '../log/encoding.ts';
import { rfc3339 } from '../time.ts';
import type { Webhook, WebhookHealth } from './webhook.ts';

/** Sent when its owner tests a webhook; it is in no feed. */
export interface TestEvent {
  readonly id: string;
  readonly type: 'webhook.test';
  readonly at: Date;
  readonly data: { readonly webhook_id: string };
}
export type DeliveredEvent = (FeedEvent & { readonly type: SentEventType }) | TestEvent;

/**
 * - pending: it is sent at `due_at`, or is being sent
 * - delivered: the receiver answered 200 to 299
 * - failed: no attempt of the schedule succeeded; its owner can have it sent again
 */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** SECRET_UNREADABLE: the secret was sealed under another SESSION_SECRET, so that nothing was sent. */
export const ATTEMPT_FAILURES = [
  'ADDRESS_REFUSED',
  'CONNECTION_FAILED',
  'TIMED_OUT',
  'REDIRECTED',
  'TLS_FAILED',
  'SECRET_UNREADABLE',
] as const satisfies readonly (WebhookFailure | 'SECRET_UNREADABLE')[];
export type AttemptFailure = WebhookFailure | 'SECRET_UNREADABLE';
export type AttemptResult = WebhookResult | { readonly outcome: 'failed'; readonly reason: 'SECRET_UNREADABLE' };

export interface Attempt {
  readonly at: Date;
  /** That of the reply; null without one. */
  readonly status: number | null;
  /** null with a reply. */
  readonly failure: AttemptFailure | null;
}

/** What attempts change of a delivery. */
export interface DeliveryProgress {
  readonly status: DeliveryStatus;
  /** Attempts of the schedule that failed; from 0 again when it is sent again. */
  readonly step: number;
  /** Of a pending one: when it is sent, or until when a process that sends it has time; else null. */
  readonly due_at: Date | null;
  /** The last `WEBHOOK.attemptsShown`, the oldest first. */
  readonly attempts: readonly Attempt[];
}

/** One event for one webhook. */
export interface Delivery extends DeliveryProgress {
  readonly delivery_id: string;
  readonly webhook_id: string;
  /** Digits; greater in later rows. */
  readonly seq: string;
  readonly event: DeliveredEvent;
  readonly created_at: Date;
}

/** What an event is about: a webhook gets the events of one subject in their order, one after the other. */
export function subjectOf({ id, data }: DeliveredEvent): string {
  if ('record_id' in data) return data.record_id;
  return 'coin' in data ? data.coin : id;
}

/** What is sent of an event: the item that GET /api/v1/owner/events shows. */
export function payloadOf({ id, type, at, data }: DeliveredEvent) {
  return { id, type, timestamp: rfc3339(at), data };
}

export interface Settled {
  readonly webhook: WebhookHealth;
  readonly delivery: DeliveryProgress;
}

/**
 * A webhook and its delivery after an attempt, by the schedule of Standard Webhooks 1.0. While a receiver fails, the
 * attempts of all its deliveries together have growing pauses; Retry-After extends them.
 * @param random 0 to 1, for the jitter
 */
export function afterAttempt(
  webhook: Pick<Webhook, keyof WebhookHealth>,
  delivery: DeliveryProgress,
  result: AttemptResult,
  now: Date,
  random: number,
): Settled {
  const attempts = [...delivery.attempts, attemptOf(result, now)].slice(-WEBHOOK.attemptsShown);
  const answer = result.outcome === 'answered' ? result : null;
  if (answer && answer.status >= 200 && answer.status < 300) {
    const healthy = { failures: 0, failing_since: null, waits_until: null };
    return {
      webhook: { status: webhook.status, ...healthy },
      delivery: { ...delivery, status: 'delivered', due_at: null, attempts },
    };
  }
  const failures = webhook.failures + 1;
  const failing_since = webhook.failing_since ?? now;
  const pause = Math.min(WEBHOOK.firstPause * 2 ** (failures - 1), WEBHOOK.longestPause);
  const wanted = Math.min((answer?.retryAfter ?? 0) * 1_000, WEBHOOK.longestRetryAfter);
  const waits_until = new Date(now.getTime() + Math.max(pause, wanted));
  const isPaused = webhook.status === 'active' && now.getTime() - failing_since.getTime() >= WEBHOOK.pauseAfter;
  const status = answer?.status === 410 ? 'gone' : isPaused ? 'paused' : webhook.status;
  const wait = WEBHOOK.retries[delivery.step];
  const retried = wait !== undefined && now.getTime() + wait * (1 + WEBHOOK.jitter * random);
  return {
    webhook: { status, failures, failing_since, waits_until },
    delivery: {
      status: retried ? 'pending' : 'failed',
      step: delivery.step + 1,
      due_at: retried ? new Date(Math.max(retried, waits_until.getTime())) : null,
      attempts,
    },
  };
}

function attemptOf(result: AttemptResult, at: Date): Attempt {
  return result.outcome === 'answered'
    ? { at, status: result.status, failure: null }
    : { at, status: null, failure: result.reason };
}

/** One attempt of a delivery. */
export interface WebhookRequest {
  /** As the owner sent it; `webhookUrlProblem` judges it again before each attempt. */
  readonly url: string;
  /** Names in lower case. The sender adds Host, Content-Type, Content-Length and User-Agent. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, sent as it is: a signature covers exactly these bytes in UTF-8. */
  readonly body: string;
}

/**
 * Why no status arrived, or none that counts.
 * - ADDRESS_REFUSED: the URL, every address of its name, or the operator's proxy does not admit the request
 * - CONNECTION_FAILED: no such name, no connection, or a reply that is not HTTP
 * - TIMED_OUT: no status within `WEBHOOK_REQUEST.deadline`
 * - REDIRECTED: a status from 300 to 399, which is never followed
 * - TLS_FAILED: the receiver's certificate or its version of TLS is not accepted
 */
export type WebhookFailure = 'ADDRESS_REFUSED' | 'CONNECTION_FAILED' | 'TIMED_OUT' | 'REDIRECTED' | 'TLS_FAILED';

export type WebhookResult =
  | {
      readonly outcome: 'answered';
      /** Never from 300 to 399. */
      readonly status: number;
      /** In seconds from now, at least 0, not bounded above; null where the reply names no time. */
      readonly retryAfter: number | null;
    }
  | { readonly outcome: 'failed'; readonly reason: WebhookFailure };

/** Sends requests to the addresses of owners, and only to those that `isAdmittedAddress` admits. */
export interface WebhookSender {
  /** One POST, with a connection of its own. Every failure is a result; it never throws. */
  send(request: WebhookRequest): Promise<WebhookResult>;
}

/** HMAC with SHA-256 (RFC 2104) of a text's UTF-8 bytes: 32 bytes. */
export type HmacSha256 = (key: Uint8Array, message: string) => Uint8Array;

export interface SignedWebhook {
  /** The same for every attempt; letters, digits, `_` and `-`, so that no other id and time have the same signed text. */
  readonly id: string;
  /** When the attempt is made. */
  readonly timestamp: Date;
  /** Exactly as it is sent. */
  readonly body: string;
  /** One or more, each `whsec_` and base64 of 24 to 64 bytes; while a secret is replaced, the new and the former one. */
  readonly secrets: readonly string[];
}

/** The headers by which a receiver verifies a webhook (Standard Webhooks 1.0, symmetric). */
export interface SignatureHeaders {
  readonly 'webhook-id': string;
  /** Seconds since 1970-01-01T00:00:00Z, whole. */
  readonly 'webhook-timestamp': string;
  /** `v1,` and a base64 HMAC for each secret, separated by spaces. */
  readonly 'webhook-signature': string;
}

/** @throws RangeError for an id with another character than letters, digits, `_` and `-`, or a text that is no secret */
export function signatureHeaders(
  { id, timestamp, body, secrets }: SignedWebhook,
  hmac: HmacSha256,
): SignatureHeaders & Readonly<Record<string, string>> {
  if (!/^[\w-]+$/.test(id)) throw new RangeError('An id of a webhook contains only letters, digits, _ and -.');
  const seconds = String(Math.floor(timestamp.getTime() / 1_000));
  const signed = `${id}.${seconds}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': secrets.map((secret) => `v1,${base64Of(hmac(keyOfSecret(secret), signed))}`).join(' '),
  };
}

/** The form in which owners get a secret. @param key 24 to 64 random bytes */
export function secretOfKey(key: Uint8Array): string {
  return `${PREFIX}${base64Of(key)}`;
}

/** The message of an error does not contain the secret. @throws RangeError for a text that is no secret */
function keyOfSecret(secret: string): Uint8Array {
  const key = secret.startsWith(PREFIX) ? bytesOf(secret.slice(PREFIX.length)) : null;
  if (key && key.length >= WEBHOOK_SECRET.leastBytes && key.length <= WEBHOOK_SECRET.mostBytes) return key;
  const { leastBytes, mostBytes } = WEBHOOK_SECRET;
  throw new RangeError(`A secret of a webhook is ${PREFIX} and base64 of ${leastBytes} to ${mostBytes} bytes.`);
}

function bytesOf(base64: string): Uint8Array | null {
  try {
    return bytesOfBase64(base64);
  } catch {
    return null;
  }
}

const PREFIX = 'whsec_';
