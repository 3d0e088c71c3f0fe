import { base64Of, bytesOfBase64, bytesOfHex, concatBytes, hexOf, Malformed, utf8 } from '../encoding.ts';
import type { Sha256 } from '../tree/tree.ts';

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

/** A text with the signatures of one or more keys (signed-note, "Format"). */
export interface SignedNote {
  /** With its final newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** A signature line: which key made it, and what it says after the key ID. */
export interface NoteSignature {
  readonly name: string;
  /** 8 lower-case hexadecimal digits. */
  readonly id: string;
  readonly signature: Uint8Array;
}

/** More signature lines are refused; signed-note demands that at least 16 are accepted. */
export const MOST_SIGNATURES = 100;

/** The note as it is sent: the text, an empty line, the signature lines. */
export function noteText({ text, signatures }: SignedNote): string {
  return `${text}\n${signatures.map(signatureLine).join('')}`;
}

/** `— <key name> base64(key ID || signature)`, with a final newline. */
export function signatureLine({ name, id, signature }: NoteSignature): string {
  return `— ${name} ${base64Of(concatBytes(bytesOfHex(id), signature))}\n`;
}

/**
 * The note of a text, without any check of its signatures.
 * @throws Malformed for anything but a text, an empty line and 1 to `MOST_SIGNATURES` signature lines
 */
export function noteOf(sent: string): SignedNote {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: signed-note forbids them.
  if (/[\x00-\x09\x0b-\x1f]/.test(sent) || !sent.isWellFormed()) {
    throw new Malformed('The note has a control character or an unpaired surrogate.');
  }
  const end = sent.lastIndexOf('\n\n');
  if (end === -1) throw new Malformed('The note has no empty line between its text and its signatures.');
  return { text: sent.slice(0, end + 1), signatures: signaturesOf(sent.slice(end + 2)) };
}

/** The signatures of lines, as a witness returns them too (tlog-witness, "add-checkpoint"). @throws Malformed */
export function signaturesOf(lines: string): readonly NoteSignature[] {
  if (!lines.endsWith('\n')) throw new Malformed('The signature lines do not end with a newline.');
  const each = lines.slice(0, -1).split('\n');
  if (each.length > MOST_SIGNATURES) throw new Malformed(`The note has more than ${MOST_SIGNATURES} signatures.`);
  return each.map(signatureOfLine);
}

function signatureOfLine(line: string): NoteSignature {
  const [, name = '', base64 = ''] = /^— ([^ ]+) ([^ ]+)$/.exec(line) ?? [];
  const bytes = isKeyName(name) ? bytesOfBase64(base64) : Uint8Array.of();
  if (bytes.length < 5) throw new Malformed(`${JSON.stringify(line)} is not a signature line.`);
  return { name, id: hexOf(bytes.subarray(0, 4)), signature: bytes.subarray(4) };
}

/** A key with the means to sign by it. */
export interface NoteSigner {
  readonly key: VerifierKey;
  readonly sign: Ed25519Sign;
}

/** The signature of a note's text by a key of type 0x01 (signed-note, "Ed25519 signatures"). */
export async function signText(text: string, { key, sign }: NoteSigner): Promise<NoteSignature> {
  return { name: key.name, id: key.id, signature: await sign(utf8(text)) };
}

/**
 * The cosignature of a checkpoint's text by a key of type 0x04 (tlog-cosignature).
 * @param time POSIX seconds, at least 1
 */
export async function cosign(checkpoint: string, time: number, { key, sign }: NoteSigner): Promise<NoteSignature> {
  const signature = await sign(cosignedMessage(time, checkpoint));
  return { name: key.name, id: key.id, signature: timestampedBytes({ time, signature }) };
}

/** A signature that verifies. */
interface ValidSignature {
  readonly key: VerifierKey;
  /** Of a cosignature: when it was made, in POSIX seconds; null of every other signature. */
  readonly time: number | null;
  readonly line: NoteSignature;
}

/** The signatures by known keys. Those by others are ignored, also when they share a name or an ID with a known key. */
interface KnownSignatures {
  readonly valid: readonly ValidSignature[];
  /** The keys whose signatures do not verify. One is enough to reject the whole note (signed-note, "Signatures"). */
  readonly invalid: readonly VerifierKey[];
}

/** Checks every signature by a known key. One of a type that cannot be verified here is neither valid nor invalid. */
export async function checkSignatures(
  { text, signatures }: SignedNote,
  keys: readonly VerifierKey[],
  verify: Ed25519Verify,
): Promise<KnownSignatures> {
  const valid: ValidSignature[] = [];
  const invalid: VerifierKey[] = [];
  for (const line of signatures) {
    for (const key of keys.filter(({ name, id }) => name === line.name && id === line.id)) {
      if (key.type !== ED25519 && key.type !== COSIGNATURE) continue;
      const signed = signedBy(key, text, line.signature);
      const holds = signed !== null && (await verify(key.publicKey, signed.message, signed.signature));
      if (holds) valid.push({ key, time: signed.time, line });
      else invalid.push(key);
    }
  }
  return { valid, invalid };
}

interface SignedMessage {
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
  readonly time: number | null;
}

/** Null for bytes that are no cosignature. */
function signedBy({ type }: VerifierKey, text: string, bytes: Uint8Array): SignedMessage | null {
  if (type === ED25519) return { message: utf8(text), signature: bytes, time: null };
  const stamped = timestampedOf(bytes);
  return stamped && { message: cosignedMessage(stamped.time, text), signature: stamped.signature, time: stamped.time };
}

/** The bytes of a `timestamped_signature`: when it was made, in POSIX seconds, and the Ed25519 signature (64 bytes). */
interface TimestampedSignature {
  readonly time: number;
  readonly signature: Uint8Array;
}

/** What a witness signs: `cosignature/v1`, the time, the text of the checkpoint (tlog-cosignature, "Ed25519 signed message"). */
function cosignedMessage(time: number, checkpoint: string): Uint8Array {
  return utf8(`cosignature/v1\ntime ${time}\n${checkpoint}`);
}

/** The time as a big-endian uint64, then the signature (tlog-cosignature, "Format"). */
function timestampedBytes({ time, signature }: TimestampedSignature): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(time));
  return concatBytes(bytes, signature);
}

/** Null for bytes of another length, and for a time that is 0 (tlog-witness forbids it) or above 2^53 - 1. */
function timestampedOf(bytes: Uint8Array): TimestampedSignature | null {
  if (bytes.length !== 72) return null;
  const time = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0));
  return Number.isSafeInteger(time) && time > 0 ? { time, signature: bytes.subarray(8) } : null;
}

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
function isKeyName(name: string): boolean {
  return name !== '' && !/[\p{White_Space}+]/u.test(name) && name.isWellFormed();
}

function expected(length: number | undefined): string {
  return length === undefined
    ? `only the types ${[...KEY_LENGTHS.keys()].join(', ')} are known`
    : `${length} are expected`;
}

/** Whether the 64 bytes are the signature of the message (RFC 8032) by the key, 32 bytes; false for anything else. */
export type Ed25519Verify = (
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
) => boolean | Promise<boolean>;

/** The 64 bytes of the signature of a message (RFC 8032): the same ones each time. */
export type Ed25519Sign = (message: Uint8Array) => Uint8Array | Promise<Uint8Array>;
