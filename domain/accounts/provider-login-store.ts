import type { ProviderLogin } from './provider-login.ts';

export interface ProviderLoginStore {
  /** Adds a login of a state that nobody has. */
  add(login: ProviderLogin): Promise<void>;

  /**
   * Takes the login of this state and this browser out: of callers at once one gets it, on any number of processes. null
   * when there is none, or it is stale by the database's clock (`isStale`). A state that another browser began stays as
   * it is: whoever has stolen it cannot use it up.
   */
  take(state_hash: Uint8Array, browser_hash: Uint8Array): Promise<ProviderLogin | null>;

  /** Removes logins that are stale; how many. */
  prune(): Promise<number>;
}
