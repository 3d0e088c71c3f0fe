import type { ActionSource } from '../../../domain/accounts/security-event.ts';

/** Who sends a request that opens an account or proves a password. */
export interface RequestClient {
  /** As addresses are counted; never stored. */
  readonly network: string;
  /** For the security events that the request causes. */
  readonly source: ActionSource;
}

/** Who tries a password. */
export interface PasswordClient extends RequestClient {
  /** The token of a device that came with the request, not verified; see `deviceToken`. */
  readonly device: string | undefined;
}
