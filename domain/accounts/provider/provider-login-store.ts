import type { ProviderLogin } from './provider-login.ts';

export interface ProviderLoginStore {
  /** Adds a login of a new state. */
  add(login: ProviderLogin): Promise<void>;

  /**
   * Removes and returns the login of this state and this browser: of concurrent calls one gets it, on any number of
   * processes. null when there is none, or it is stale by the database's clock (`isStale`). A state that another
   * browser began stays: a thief of the state cannot use it up.
   */
  take(state_hash: Uint8Array, browser_hash: Uint8Array): Promise<ProviderLogin | null>;

  /** Removes stale logins; returns how many. */
  prune(): Promise<number>;
}
