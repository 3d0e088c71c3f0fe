import { WEBHOOK_SECRET } from '../limits.ts';
import { base64Of, bytesOfBase64 } from '../log/encoding.ts';

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
