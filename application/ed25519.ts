import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** The 64 bytes of the signature of a message (RFC 8032). @param privateKey of Ed25519 */
export function ed25519Sign(privateKey: KeyObject, message: Uint8Array): Uint8Array {
  return sign(null, message, privateKey);
}

/** The 32 bytes of the public key. @param privateKey of Ed25519 */
export function ed25519PublicKey(privateKey: KeyObject): Uint8Array {
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return Buffer.from(x, 'base64url');
}

/** Whether the signature of the message is that of the key, 32 bytes (RFC 8032); false for bytes that are no key. */
export function ed25519Verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const x = Buffer.from(publicKey).toString('base64url');
  try {
    return verify(null, message, createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }), signature);
  } catch {
    return false;
  }
}
