import type { PermissionMode } from '../../caller.ts';
import { API_KEY } from '../../limits.ts';
import { isInNetwork, parseAddress, parseNetwork } from '../../networks.ts';
import type { ProblemDetail } from '../../problem.ts';
import { DAY, rfc3339 } from '../../time.ts';

/** What a key has whose owner set none of it. */
export const UNBOUNDED = { expires_at: null, allowed_networks: null } as const satisfies Partial<ApiKey>;

/** What an owner may set of a new key, or leave out; its successor inherits it. */
export type KeyOptions = Pick<ApiKey, keyof typeof UNBOUNDED>;

/** What an owner may change of a key. */
export type KeyChanges = Partial<Omit<KeyOptions, 'expires_at'> & Pick<ApiKey, 'permission_mode'>>;

/** What is stored of a key: enough to recognise it, never the key itself (settled.md section 2). */
export interface ApiKey extends KeyBounds {
  readonly key_prefix: string;
  /** SHA-256 of the whole key. */
  readonly key_hash: Uint8Array;
  readonly owner_id: string;
  /** null for a legacy unbound key, which can read and cannot submit. */
  readonly agent_id: string | null;
  readonly permission_mode: PermissionMode;
  readonly label: string | null;
  readonly created_at: Date;
}

/** What views show of a key: its name, never the key itself (settled.md section 8). */
export interface KeyInfo extends Omit<ApiKey, 'key_hash' | 'owner_id'> {
  /** Noted about once a minute; null before the first use. */
  readonly last_used_at: Date | null;
  /** A keyed hash of the network of that use (see `networkHash`). */
  readonly last_used_network: string | null;
  readonly revoked_at: Date | null;
}

/** The values of a rotated key's successor that are new; it inherits the others. */
export type Successor = Pick<ApiKey, 'key_prefix' | 'key_hash' | 'created_at' | 'expires_at'>;

/** A use of a key, now. */
export interface KeyUse {
  readonly key_prefix: string;
  /** As `last_used_network`. */
  readonly network: string | null;
}

/** Whether a use has to be noted: once a minute, and from another network at once, so that requests stay reads. */
export function isUseToBeNoted(
  { last_used_at, last_used_network }: Pick<KeyInfo, 'last_used_at' | 'last_used_network'>,
  network: string | null,
  now: Date,
): boolean {
  if (last_used_at === null) return true;
  const wait = last_used_network === network ? API_KEY.noteEvery : 0;
  return now.getTime() >= last_used_at.getTime() + wait;
}

/**
 * A new key, `sbk_` + 8 + `_` + 32 + 6 characters (settled.md section 2): its own name, 190 bits of secret, and a
 * checksum. By the checksum a mistyped or cut key is refused without a query, and secret scanners recognise keys.
 * `random` returns the given number of random bytes.
 */
export function makeApiKey(random: (bytes: number) => Uint8Array): {
  readonly key: string;
  readonly key_prefix: string;
} {
  const key_prefix = `sbk_${base62(8, random)}`;
  const body = `${key_prefix}_${base62(32, random)}`;
  return { key: body + checksum(body), key_prefix };
}

/**
 * The parts of a well-formed key whose checksum is right, else null; only the store knows whether it was ever issued.
 */
export function parseApiKey(text: string): { readonly key: string; readonly key_prefix: string } | null {
  const [, body, key_prefix, sum] = KEY.exec(text) ?? [];
  if (body === undefined || key_prefix === undefined || checksum(body) !== sum) return null;
  return { key: text, key_prefix };
}

const KEY = /^((sbk_[0-9A-Za-z]{8})_[0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Bytes above the last whole multiple of 62 are dropped: the remainder would favour the first digits. */
function base62(length: number, random: (bytes: number) => Uint8Array): string {
  let text = '';
  while (text.length < length) {
    for (const byte of random(length - text.length)) if (byte < 248) text += DIGITS.charAt(byte % 62);
  }
  return text;
}

/** CRC-32 (IEEE 802.3) of everything before it, as six base62 digits, the most significant first. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < 6; place += 1) {
    digits = DIGITS.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

function crc32(text: string): number {
  let register = 0xffffffff;
  for (let at = 0; at < text.length; at += 1) {
    register = (register >>> 8) ^ (BYTES[(register ^ text.charCodeAt(at)) & 0xff] ?? 0);
  }
  return ~register >>> 0;
}

/** The remainder of each byte: each request with a key is checked. */
const BYTES = Uint32Array.from({ length: 256 }, (_, byte) => {
  let register = byte;
  for (let bit = 0; bit < 8; bit += 1) register = (register >>> 1) ^ (register & 1 ? 0xedb88320 : 0);
  return register;
});

/** The keys of owners. `AdmissionDesk` resolves a key to its caller (quotas/admission.ts). */
export interface ApiKeyStore {
  /**
   * Adds the key; false when the owner already has `atMost` unrevoked keys. Concurrent calls never exceed it together.
   * @throws Problem UNAUTHORIZED for an owner who is gone, ACCOUNT_SUSPENDED, NOT_FOUND for an agent that the owner does not
   * have, AGENT_ARCHIVED
   */
  add(key: ApiKey, atMost: number): Promise<boolean>;

  /** Revokes for every request that begins after this is acknowledged, on any node; false when the owner has no such unrevoked key. */
  revoke(owner_id: string, key_prefix: string): Promise<boolean>;

  /** Revokes all unrevoked keys of the owner, as `revoke` does; returns their names. */
  revokeAll(owner_id: string): Promise<readonly string[]>;

  /** The owner's unrevoked keys, the oldest first. */
  list(owner_id: string): Promise<readonly KeyInfo[]>;

  /** The key, when the owner has it and it is unrevoked. */
  find(owner_id: string, key_prefix: string): Promise<KeyInfo | null>;

  /**
   * Changes the key, for every request that begins after this: what it may do, from where it works. What is left out stays;
   * null where `find` finds none.
   */
  change(owner_id: string, key_prefix: string, changes: KeyChanges): Promise<KeyInfo | null>;

  /**
   * Revokes the key and adds its successor with the same agent, mode, label and networks: both or neither. The number of keys
   * stays the same, so the owner's limit does not apply. Returns the successor; null where `find` finds none. Of
   * concurrent calls one rotates the key.
   * @throws Problem UNAUTHORIZED for an owner who is gone, ACCOUNT_SUSPENDED
   */
  rotate(owner_id: string, key_prefix: string, successor: Successor): Promise<KeyInfo | null>;

  /** Whether a key of that name exists, revoked ones included. */
  isTaken(key_prefix: string): Promise<boolean>;

  /** Notes that the keys are used now, each once at most, if `isUseToBeNoted`; ignores names of no key. */
  noteUse(uses: readonly KeyUse[]): Promise<void>;
}

/** How long and from where a key works, as its owner set it. */
export interface KeyBounds {
  /** From then on the key is refused; null: it works until it is revoked. */
  readonly expires_at: Date | null;
  /** The networks whose requests are accepted, as `networkText` writes them, at least one; null: all. */
  readonly allowed_networks: readonly string[] | null;
}

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
