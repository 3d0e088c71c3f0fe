import { API_KEY } from '../limits.ts';
import type { ProblemDetail } from '../problem.ts';
import { DAY, rfc3339 } from '../time.ts';

/** How long a key works, as its owner set it. */
export interface KeyBounds {
  /** From then on the key is refused; null: it works until it is revoked. */
  readonly expires_at: Date | null;
}

/** The bounds of a key whose owner set none. */
export const UNBOUNDED: KeyBounds = { expires_at: null };

/** Why a key that is known and not revoked is refused. */
export type KeyBar = 'expired';

/** A key that its bounds refused, for the reply and for the security events of its owner. */
export interface BarredKey {
  readonly bar: KeyBar;
  readonly owner_id: string;
  readonly key_prefix: string;
}

/** Why the bounds of the key refuse a request at this time; null: they allow it. */
export function keyBar({ expires_at }: KeyBounds, at: Date): KeyBar | null {
  return expires_at !== null && expires_at <= at ? 'expired' : null;
}

/** The fault of an expiry that a new key must not have: it lies ahead, by `API_KEY.longestLife` at most. */
export function expiryFault(expires_at: Date, created_at: Date): ProblemDetail | null {
  const life = expires_at.getTime() - created_at.getTime();
  if (life > 0 && life <= API_KEY.longestLife) return null;
  const days = API_KEY.longestLife / DAY;
  return { path: 'expires_at', message: `must lie in the future, at most ${days} days ahead`, received: expires_at };
}

/** The expiry of a key's successor: it lives as long as the key was to live. */
export function renewedExpiry(key: KeyBounds & { readonly created_at: Date }, created_at: Date): Date | null {
  if (key.expires_at === null) return null;
  return new Date(created_at.getTime() + key.expires_at.getTime() - key.created_at.getTime());
}

/** Whether the owner should replace the key: it works, and not for much longer (`API_KEY.expiryNotice`). */
export function isExpiringSoon<Key extends KeyBounds>(key: Key, now: Date): key is Key & { readonly expires_at: Date } {
  if (key.expires_at === null) return false;
  const left = key.expires_at.getTime() - now.getTime();
  return left > 0 && left <= API_KEY.expiryNotice;
}

/** What the audit log notes of the bounds: nothing of a key that has none. */
export function auditedBounds({ expires_at }: KeyBounds): Readonly<Record<string, string>> {
  return expires_at === null ? {} : { expires_at: rfc3339(expires_at) };
}
