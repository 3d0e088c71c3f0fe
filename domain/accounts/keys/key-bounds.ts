import { API_KEY } from '../../limits.ts';
import { isInNetwork, parseAddress, parseNetwork } from '../../networks.ts';
import type { ProblemDetail } from '../../problem.ts';
import { DAY, rfc3339 } from '../../time.ts';

/** How long and from where a key works, as its owner set it. */
export interface KeyBounds {
  /** From then on the key is refused; null: it works until it is revoked. */
  readonly expires_at: Date | null;
  /** The networks whose requests are accepted, as `networkText` writes them, at least one; null: all. */
  readonly allowed_networks: readonly string[] | null;
}

/** The bounds of a key whose owner set none. */
export const UNBOUNDED: KeyBounds = { expires_at: null, allowed_networks: null };

/** Why a key that is known and not revoked is refused. */
export type KeyBar = 'expired' | 'network';

/** A key that its bounds refused, for the reply and for the security events of its owner. */
export interface BarredKey {
  readonly bar: KeyBar;
  readonly owner_id: string;
  readonly key_prefix: string;
}

/** Why the bounds of the key refuse a request of this time and address (`plainAddress`); null: they allow it. */
export function keyBar(bounds: KeyBounds, at: Date, from: string | null): KeyBar | null {
  if (isExpired(bounds, at)) return 'expired';
  return isAllowedFrom(bounds, from) ? null : 'network';
}

export function isExpired({ expires_at }: Pick<KeyBounds, 'expires_at'>, at: Date): boolean {
  return expires_at !== null && expires_at <= at;
}

function isAllowedFrom({ allowed_networks }: KeyBounds, from: string | null): boolean {
  if (allowed_networks === null) return true;
  const address = from === null ? null : parseAddress(from);
  if (!address) return false;
  return allowed_networks.map(parseNetwork).some((network) => network !== null && isInNetwork(address, network));
}

/** The fault of an expiry that a new key must not have: it lies ahead, by `API_KEY.longestLife` at most. */
export function expiryFault(expires_at: Date, created_at: Date): ProblemDetail | null {
  const life = expires_at.getTime() - created_at.getTime();
  if (life > 0 && life <= API_KEY.longestLife) return null;
  const days = API_KEY.longestLife / DAY;
  return { path: 'expires_at', message: `must lie in the future, at most ${days} days ahead`, received: expires_at };
}

/** The expiry of a key's successor: it lives as long as the key was to live. */
export function renewedExpiry(
  key: Pick<KeyBounds, 'expires_at'> & { readonly created_at: Date },
  created_at: Date,
): Date | null {
  if (key.expires_at === null) return null;
  return new Date(created_at.getTime() + key.expires_at.getTime() - key.created_at.getTime());
}

/** Whether the owner should replace the key: it works, and not for much longer (`API_KEY.expiryNotice`). */
export function isExpiringSoon<Key extends Pick<KeyBounds, 'expires_at'>>(
  key: Key,
  now: Date,
): key is Key & { readonly expires_at: Date } {
  if (key.expires_at === null) return false;
  const left = key.expires_at.getTime() - now.getTime();
  return left > 0 && left <= API_KEY.expiryNotice;
}

/** What the audit log notes of the bounds: nothing of a key that has none. */
export function auditedBounds({ expires_at, allowed_networks }: KeyBounds) {
  const bound = allowed_networks && { networks: countOfNetworks(allowed_networks) };
  return { ...(expires_at && { expires_at: rfc3339(expires_at) }), ...bound };
}

/** How many networks a key is bound to, 0: none. Which ones stays out of what is kept when an owner is erased. */
export function countOfNetworks(allowed_networks: KeyBounds['allowed_networks']): number {
  return allowed_networks?.length ?? 0;
}
