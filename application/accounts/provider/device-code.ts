import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { DEVICE_CODE_BYTES } from '../../../domain/accounts/provider/device-sign-in.ts';
import { sha256 } from '../../sha256.ts';

/** Our own device code, 256 random bits: shown to the agent once, and stored nowhere. */
export function makeDeviceCode(): string {
  return randomBytes(DEVICE_CODE_BYTES).toString('base64url');
}

/** SHA-256 of our device code: its 256 random bits need no slow hash. */
export function hashOfDeviceCode(device_code: string): Uint8Array {
  return sha256(device_code);
}

/**
 * The provider's device code, encrypted under ours: AES-256-GCM, as nonce, tag and ciphertext. The key is derived
 * (HKDF) from our code, of which only the hash is stored, so that the database alone decrypts nothing (settled.md
 * section 8).
 */
export function sealCode(device_code: string, provider_code: string): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(device_code), nonce);
  const sealed = Buffer.concat([cipher.update(provider_code, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** @throws Error when the code is not the one of the encryption, or a single bit has changed */
export function openCode(device_code: string, sealed: Uint8Array): string {
  const [nonce, tag] = [sealed.subarray(0, NONCE_BYTES), sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)];
  const decipher = createDecipheriv(CIPHER, keyOf(device_code), nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(tag);
  const opened = [decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
  return Buffer.concat(opened).toString('utf8');
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

function keyOf(device_code: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', Buffer.from(device_code, 'base64url'), '', 'stancebook/device-code/1', 32));
}
