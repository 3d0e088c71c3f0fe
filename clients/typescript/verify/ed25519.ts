/** Whether the signature of the message is that of the key, by Web Crypto: Node.js and browsers have it. */
export async function ed25519Verify(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const { subtle } = globalThis.crypto;
  const key = await subtle.importKey('raw', Uint8Array.from(publicKey), 'Ed25519', false, ['verify']);
  return subtle.verify('Ed25519', key, Uint8Array.from(signature), Uint8Array.from(message));
}
