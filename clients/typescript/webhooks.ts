import { StancebookError, UsageError } from './client/errors.ts';
import type { Schemas } from './client/wire.ts';

/** What is sent when the owner of a webhook tests it. */
export interface WebhookTest {
  readonly id: string;
  readonly type: 'webhook.test';
  readonly timestamp: string;
  readonly data: { readonly webhook_id: string };
}

/** An event of the owner's feed, or a test. Later versions may add types: ignore those that you do not know. */
export type WebhookEvent = Schemas['OwnerEvent'] | WebhookTest;

/** Headers by name, in any case; those of fetch, of node:http, or a plain object. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookOptions {
  /** The time, in milliseconds since 1970. */
  readonly now?: () => number;
}

/** Why a request is not taken for a webhook of the service. */
export type WebhookFault =
  | 'HEADER_MISSING'
  | 'TIMESTAMP_INVALID'
  | 'TIMESTAMP_TOO_OLD'
  | 'TIMESTAMP_TOO_NEW'
  | 'SIGNATURE_WRONG'
  | 'BODY_INVALID';

/** The request must not be processed. Answer it with 400. */
export class WebhookError extends StancebookError {
  readonly code: WebhookFault;

  constructor(code: WebhookFault, message: string) {
    super(message);
    this.code = code;
  }
}

/** Seconds that a timestamp may differ from the own clock, to either side. */
const TOLERANCE = 300;

/**
 * The event of a webhook, if it is signed with one of the secrets (Standard Webhooks 1.0). Its `id` is the `webhook-id`,
 * which stays the same over all attempts: skip ids that were processed.
 * @param body as it was received: a body that was parsed and written again has another signature
 * @param secrets `whsec_...`; two while a secret is rotated
 * @throws WebhookError; UsageError for a secret that is none
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secrets: string | readonly string[],
  { now = Date.now }: WebhookOptions = {},
): Promise<WebhookEvent> {
  const keys = await Promise.all([secrets].flat().map(keyOf));
  if (keys.length === 0) throw new UsageError('Give a secret of the webhook.');
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  checkTimestamp(timestamp, Math.floor(now() / 1_000));
  const content = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), content);
  for (const key of keys) {
    for (const signature of signatures.flatMap(bytesOfSignature)) {
      // Compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return eventIn(content, id);
    }
  }
  throw new WebhookError('SIGNATURE_WRONG', 'No signature of the webhook is one by the secret.');
}

/** @throws UsageError */
async function keyOf(secret: string) {
  const bytes = secret.startsWith('whsec_') ? bytesOf(secret.slice('whsec_'.length)) : null;
  if (bytes === null || bytes.length < 24 || bytes.length > 64) {
    throw new UsageError('The secret of a webhook is whsec_ and the Base64 of 24 to 64 bytes.');
  }
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** @throws WebhookError */
function headerOf(headers: WebhookHeaders, name: string): string {
  const values = isOfFetch(headers)
    ? [headers.get(name)]
    : Object.entries(headers).flatMap(([each, value]) => (each.toLowerCase() === name ? [value].flat() : []));
  const [value] = values;
  if (values.length === 1 && value) return value;
  throw new WebhookError('HEADER_MISSING', `The request has no header ${name}, or more than one.`);
}

function isOfFetch(headers: WebhookHeaders): headers is Headers {
  return typeof headers.get === 'function';
}

/** @throws WebhookError */
function checkTimestamp(text: string, now: number): void {
  if (!/^[1-9]\d{0,11}$/.test(text)) {
    throw new WebhookError('TIMESTAMP_INVALID', 'The webhook-timestamp is no whole number of seconds.');
  }
  const age = now - Number(text);
  if (age > TOLERANCE) {
    throw new WebhookError('TIMESTAMP_TOO_OLD', `The webhook was signed ${age} s ago: it may be an old one, repeated.`);
  }
  if (age < -TOLERANCE) {
    throw new WebhookError('TIMESTAMP_TOO_NEW', `The webhook was signed ${-age} s in the future: check the own clock.`);
  }
}

/** None for other versions and for what is no HMAC-SHA256. */
function bytesOfSignature(text: string): readonly Uint8Array<ArrayBuffer>[] {
  const bytes = text.startsWith('v1,') ? bytesOf(text.slice('v1,'.length)) : null;
  return bytes?.length === 32 ? [bytes] : [];
}

/** Null for what is no Base64 in its only form. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    const binary = atob(base64);
    return btoa(binary) === base64 ? Uint8Array.from(binary, (character) => character.charCodeAt(0)) : null;
  } catch {
    return null;
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

/** @throws WebhookError */
function eventIn(content: Uint8Array, id: string): WebhookEvent {
  let event: Partial<WebhookEvent> | null;
  try {
    event = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content));
  } catch {
    event = null;
  }
  const isEvent =
    typeof event?.type === 'string' && typeof event.timestamp === 'string' && Object(event.data) === event.data;
  if (!isEvent) throw new WebhookError('BODY_INVALID', 'The body is signed and is no event.');
  return { ...event, id } as WebhookEvent;
}
