import { randomBytes } from 'node:crypto';
import { secretOfKey } from '../../domain/webhooks/signature.ts';
import type { SecretValues } from '../derived-key.ts';
import { openSecret, sealSecret } from '../sealed-secret.ts';

/** Of a new secret. */
const KEY_BYTES = 32;

export interface NewSecret {
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
