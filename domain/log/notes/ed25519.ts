/** Whether the 64 bytes are the signature of the message (RFC 8032) by the key, 32 bytes; false for anything else. */
export type Ed25519Verify = (
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
) => boolean | Promise<boolean>;

/** The 64 bytes of the signature of a message (RFC 8032): the same ones each time. */
export type Ed25519Sign = (message: Uint8Array) => Uint8Array | Promise<Uint8Array>;
