import type { Millis } from '../time.ts';
import type { Identity } from './identity.ts';

/** What the provider answers to the start of its device flow (RFC 8628 section 3.2). */
export interface StartedAuthorization {
  /** The provider's own; our callers never see it. */
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  /** null where the provider offers none. */
  readonly verification_uri_complete: string | null;
  readonly expires_in: Millis;
  /** Between two polls; null where the provider tells none. */
  readonly interval: Millis | null;
}

/**
 * What one exchange with the provider's token endpoint found. `spent`: the provider no longer knows the code, so that an
 * earlier exchange has redeemed it and its answer was lost.
 */
export type Exchange =
  | { readonly outcome: 'pending' | 'slow_down' | 'denied' | 'expired' | 'spent' }
  | { readonly outcome: 'approved'; readonly identity: Identity };

/** The device flow of the identity provider. It is asked within deadlines that add up to less than the lease. */
export interface DeviceAuthorization {
  /** @throws Problem SERVICE_UNAVAILABLE when the provider is down, slow, or answers what it must not */
  start(): Promise<StartedAuthorization>;

  /**
   * Asks for the token of a code that `start` was answered with, and proves whom it is about.
   * @throws Problem SERVICE_UNAVAILABLE when the provider is down, slow, or answers what it must not
   */
  exchange(device_code: string): Promise<Exchange>;
}
