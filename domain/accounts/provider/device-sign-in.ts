import { DEVICE_FLOW } from '../../limits.ts';
import type { Millis } from '../../time.ts';
import type { ProvenIdentity } from './identity-provider.ts';

/**
 * `spent`: the provider has redeemed its code, and the reply to us was lost. `expired` is the provider's own word; by
 * our clock a sign-in is over at `expires_at`, whatever the status.
 */
const DEVICE_SIGN_IN_STATUSES = ['pending', 'approved', 'denied', 'expired', 'spent', 'consumed'] as const;
export type DeviceSignInStatus = (typeof DEVICE_SIGN_IN_STATUSES)[number];

/** A sign-in by the device flow as stored: neither of the codes can be read from it (settled.md section 8). */
export interface DeviceSignIn {
  /** SHA-256 of our device code, which the agent alone has. */
  readonly code_hash: Uint8Array;
  /** The provider's device code, encrypted under ours. */
  readonly sealed_code: Uint8Array;
  readonly status: DeviceSignInStatus;
  /** Who approved; null before. */
  readonly owner_id: string | null;
  /** Milliseconds between two polls; grows with each that comes too soon. */
  readonly poll_every: number;
  readonly next_poll_at: Date;
  /** Which caller is asking the provider, and until when no other may; both null while none is. */
  readonly lease_token: string | null;
  readonly lease_until: Date | null;
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** Bytes of our device code: 256 bits, so that it cannot be guessed. */
export const DEVICE_CODE_BYTES = 32;

/** Those bytes in base64url. */
export const DEVICE_CODE = /^[\w-]{43}$/;

/** A sign-in without a decision; the first poll may come at once. */
export function newDeviceSignIn(
  codes: Pick<DeviceSignIn, 'code_hash' | 'sealed_code'>,
  { interval, expires_in }: Pick<StartedAuthorization, 'interval' | 'expires_in'>,
  now: Date,
): DeviceSignIn {
  return {
    ...codes,
    status: 'pending',
    owner_id: null,
    poll_every: Math.min(interval ?? DEVICE_FLOW.defaultInterval, DEVICE_FLOW.longestInterval),
    next_poll_at: now,
    lease_token: null,
    lease_until: null,
    created_at: now,
    expires_at: new Date(now.getTime() + Math.min(expires_in, DEVICE_FLOW.longestLife)),
  };
}

/** The state of the sign-in: its status, or `expired` when its time ran out before it was redeemed. */
export function statusAt({ status, expires_at }: DeviceSignIn, now: Date): DeviceSignInStatus {
  const isOpen = status === 'pending' || status === 'approved';
  return isOpen && now >= expires_at ? 'expired' : status;
}

/** Whether it can be removed: polls no longer report how it ended. */
export function isForgotten({ expires_at }: DeviceSignIn, now: Date): boolean {
  return now.getTime() >= expires_at.getTime() + DEVICE_FLOW.keep;
}

/** The provider's reply to the start of its device flow (RFC 8628 section 3.2). */
export interface StartedAuthorization {
  /** The provider's own code; our callers never see it. */
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  /** null where the provider offers none. */
  readonly verification_uri_complete: string | null;
  readonly expires_in: Millis;
  /** Between two polls; null where the provider sends none. */
  readonly interval: Millis | null;
}

/**
 * What one exchange with the provider's token endpoint found. `spent`: the provider no longer knows the code, so an
 * earlier exchange has redeemed it and its reply was lost.
 */
export type Exchange =
  | { readonly outcome: 'pending' | 'slow_down' | 'denied' | 'expired' | 'spent' }
  | ({ readonly outcome: 'approved' } & Pick<ProvenIdentity, 'identity' | 'has_factor'>);

/** The device flow of the identity provider. The deadlines of its requests add up to less than the lease. */
export interface DeviceAuthorization {
  /** @throws Problem SERVICE_UNAVAILABLE when the provider is down, slow, or sends an invalid reply */
  start(): Promise<StartedAuthorization>;

  /**
   * Requests the token of a code that `start` returned, and proves whose it is.
   * @throws Problem SERVICE_UNAVAILABLE when the provider is down, slow, or sends an invalid reply
   */
  exchange(device_code: string): Promise<Exchange>;
}
