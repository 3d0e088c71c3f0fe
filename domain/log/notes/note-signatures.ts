import { utf8 } from '../encoding.ts';
import { cosignedMessage, timestampedBytes, timestampedOf } from './cosignature.ts';
import type { Ed25519Sign, Ed25519Verify } from './ed25519.ts';
import type { NoteSignature, SignedNote } from './note.ts';
import { COSIGNATURE, ED25519, type VerifierKey } from './verifier-key.ts';

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
export interface ValidSignature {
  readonly key: VerifierKey;
  /** Of a cosignature: when it was made, in POSIX seconds; null of every other signature. */
  readonly time: number | null;
  readonly line: NoteSignature;
}

/** The signatures by known keys. Those by others are ignored, also when they share a name or an ID with a known key. */
export interface KnownSignatures {
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
