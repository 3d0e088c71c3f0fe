import { base64Of, bytesOfBase64, concatBytes, hexOf } from '../encoding.ts';
import { Malformed } from '../malformed.ts';
import type { Sha256 } from '../tree/sha256.ts';

/** Ed25519 over the text of a note (signed-note, "Signature types"). */
export const ED25519 = 0x01;
/** Timestamped Ed25519 cosignature of a checkpoint (tlog-cosignature). */
export const COSIGNATURE = 0x04;
/** Timestamped ML-DSA-44 cosignature. Keys of it are read; no signature of it can be verified here yet. */
export const ML_DSA_44 = 0x06;

/** The bytes of a public key by the signature types that are known. */
const KEY_LENGTHS: ReadonlyMap<number, number> = new Map([
  [ED25519, 32],
  [COSIGNATURE, 32],
  [ML_DSA_44, 1_312],
]);

/** A public key, with the name and the ID that its signature lines have (signed-note, "Verifier keys"). */
export interface VerifierKey {
  readonly name: string;
  /** 8 lower-case hexadecimal digits. */
  readonly id: string;
  readonly type: number;
  readonly publicKey: Uint8Array;
}

/**
 * A key with the ID that signed-note recommends: the first four bytes of SHA-256(name || 0x0A || type || public key).
 * @throws Malformed for an invalid name, an unknown type, or a key of another length than those of its type
 */
export function verifierKey(name: string, type: number, publicKey: Uint8Array, sha256: Sha256): VerifierKey {
  if (!isKeyName(name))
    throw new Malformed(`${JSON.stringify(name)} is not a key name: it is empty, or has a space or +.`);
  const length = KEY_LENGTHS.get(type);
  if (publicKey.length !== length) {
    throw new Malformed(
      `The key ${name} has the signature type ${type} and ${publicKey.length} bytes; ${expected(length)}.`,
    );
  }
  return { name, id: hexOf(sha256(`${name}\n`, Uint8Array.of(type), publicKey).subarray(0, 4)), type, publicKey };
}

/** The vkey: `<name>+<key ID>+<base64 of type and public key>` (signed-note, "Verifier keys"). */
export function vkeyText({ name, id, type, publicKey }: VerifierKey): string {
  return `${name}+${id}+${base64Of(concatBytes(Uint8Array.of(type), publicKey))}`;
}

/** The key of a vkey. @throws Malformed, also when its ID is not that of its name and key */
export function verifierKeyOf(vkey: string, sha256: Sha256): VerifierKey {
  const [, name = '', id, base64 = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(vkey) ?? [];
  const [type = -1, ...publicKey] = bytesOfBase64(base64);
  const key = verifierKey(name, type, Uint8Array.from(publicKey), sha256);
  if (key.id !== id) throw new Malformed(`The vkey of ${name} has the key ID ${id}; its name and key have ${key.id}.`);
  return key;
}

/** Key names are not empty and have no Unicode space and no plus (signed-note, "Format"). */
export function isKeyName(name: string): boolean {
  return name !== '' && !/[\p{White_Space}+]/u.test(name) && name.isWellFormed();
}

function expected(length: number | undefined): string {
  return length === undefined
    ? `only the types ${[...KEY_LENGTHS.keys()].join(', ')} are known`
    : `${length} are expected`;
}
