/** SHA-256 of the parts, one after the other, as 32 bytes; a text counts as its UTF-8 bytes. */
export type Sha256 = (...parts: readonly (string | Uint8Array)[]) => Uint8Array;
