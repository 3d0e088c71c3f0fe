/** Bytes as lower-case hexadecimal digits, which can be the key of a table: two arrays of the same bytes are not one key. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
