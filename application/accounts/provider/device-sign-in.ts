import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import {
  DEVICE_CODE_BYTES,
  newDeviceSignIn,
  type StartedAuthorization,
} from '../../../domain/accounts/provider/device-sign-in.ts';
import { SECOND } from '../../../domain/time.ts';
import type { Ports } from '../../ports.ts';
import { sha256 } from '../../sha256.ts';
import { configured } from './provider-login.ts';

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

/** The reply to the agent; `expires_in` and `interval` in whole seconds (RFC 8628 section 3.2). */
interface StartedDeviceSignIn
  extends Pick<StartedAuthorization, 'user_code' | 'verification_uri' | 'verification_uri_complete'> {
  /** Our own code: shown this once. */
  readonly device_code: string;
  readonly expires_in: number;
  readonly interval: number;
}

/**
 * Starts the device flow at the identity provider for an agent without a key (settled.md section 8).
 * @throws Problem OAUTH_NOT_CONFIGURED, SERVICE_UNAVAILABLE when the provider is down
 */
export async function startDeviceSignIn({
  deviceAuthorization,
  deviceSignIns,
  clock,
}: Pick<Ports, 'deviceAuthorization' | 'deviceSignIns' | 'clock'>): Promise<StartedDeviceSignIn> {
  const { device_code: theirs, ...started } = await configured(deviceAuthorization).start();
  const device_code = makeDeviceCode();
  const codes = { code_hash: hashOfDeviceCode(device_code), sealed_code: sealCode(device_code, theirs) };
  const signIn = newDeviceSignIn(codes, started, await clock.now());
  await deviceSignIns.add(signIn);
  const { user_code, verification_uri, verification_uri_complete } = started;
  const expires_in = Math.floor((signIn.expires_at.getTime() - signIn.created_at.getTime()) / SECOND);
  const interval = Math.ceil(signIn.poll_every / SECOND);
  return { device_code, user_code, verification_uri, verification_uri_complete, expires_in, interval };
}
