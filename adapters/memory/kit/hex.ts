/** A hash as a key of a table: arrays of bytes are never the same key. */
export function hex(hash: Uint8Array): string {
  return Buffer.from(hash).toString('hex');
}
