import type { StartedAuthorization } from '../../../domain/accounts/provider/device-authorization.ts';
import { newDeviceSignIn } from '../../../domain/accounts/provider/device-sign-in.ts';
import { SECOND } from '../../../domain/time.ts';
import type { Ports } from '../../ports.ts';
import { configured } from './configured.ts';
import { hashOfDeviceCode, makeDeviceCode, sealCode } from './device-code.ts';

/** The reply to the agent; `expires_in` and `interval` in whole seconds (RFC 8628 section 3.2). */
export interface StartedDeviceSignIn
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
