import type { PermissionMode } from '../../caller.ts';
import { API_KEY } from '../../limits.ts';
import type { KeyBounds } from './key-bounds.ts';

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
