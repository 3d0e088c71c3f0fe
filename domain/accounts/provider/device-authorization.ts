import type { Millis } from '../../time.ts';
import type { Identity } from './identity.ts';

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
  | { readonly outcome: 'approved'; readonly identity: Identity };

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
