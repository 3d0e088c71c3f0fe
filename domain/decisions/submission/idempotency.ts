import { IDEMPOTENCY } from '../../limits.ts';
import type { Receipt } from './receipt.ts';

/** What makes a submission repeatable (settled.md section 4): its key, within one agent, and the body that it was sent with. */
export interface Idempotency {
  readonly key: string;
  /** SHA-256 of the RFC 8785 form of the body, in which `meta` is a string that contains its text, hex. */
  readonly fingerprint: string;
}

/**
 * Whether this is the text that a program writes for a missing value, in any case: not a key, because every decision of a
 * faulty caller would have the same one.
 */
export function isMissingValue(text: string): boolean {
  return /^(null|none|undefined)$/i.test(text);
}

/** What was accepted under a key. */
export interface RecordedSubmission {
  readonly fingerprint: string;
  readonly receipt: Receipt;
}

export type Repetition =
  | { readonly verdict: 'replayed'; readonly receipt: Receipt }
  /** The key came with another body: 422 IDEMPOTENCY_KEY_REUSED. */
  | { readonly verdict: 'key_reused' };

/** The same key with the same body replays the recorded receipt; with another body it is refused; null: it is new. */
export function repetitionOf(sent: Idempotency | null, recorded: RecordedSubmission | null): Repetition | null {
  if (!sent || !recorded) return null;
  return recorded.fingerprint === sent.fingerprint
    ? { verdict: 'replayed', receipt: recorded.receipt }
    : { verdict: 'key_reused' };
}

/** Whether a key that was first used at `createdAt` is still in force at `now`: for 48 h. */
export function isKeyInForce(createdAt: Date, now: Date): boolean {
  return now.getTime() - createdAt.getTime() < IDEMPOTENCY.keep;
}
