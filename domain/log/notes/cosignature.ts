import { concatBytes, utf8 } from '../encoding.ts';

/** The bytes of a `timestamped_signature`: when it was made, in POSIX seconds, and the Ed25519 signature (64 bytes). */
export interface TimestampedSignature {
  readonly time: number;
  readonly signature: Uint8Array;
}

/** What a witness signs: `cosignature/v1`, the time, the text of the checkpoint (tlog-cosignature, "Ed25519 signed message"). */
export function cosignedMessage(time: number, checkpoint: string): Uint8Array {
  return utf8(`cosignature/v1\ntime ${time}\n${checkpoint}`);
}

/** The time as a big-endian uint64, then the signature (tlog-cosignature, "Format"). */
export function timestampedBytes({ time, signature }: TimestampedSignature): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(time));
  return concatBytes(bytes, signature);
}

/** Null for bytes of another length, and for a time that is 0 (tlog-witness forbids it) or above 2^53 - 1. */
export function timestampedOf(bytes: Uint8Array): TimestampedSignature | null {
  if (bytes.length !== 72) return null;
  const time = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0));
  return Number.isSafeInteger(time) && time > 0 ? { time, signature: bytes.subarray(8) } : null;
}
