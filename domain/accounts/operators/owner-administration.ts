import type { Role, Tier } from '../../caller.ts';
import type { AccountData } from '../owner-data.ts';

/** What a suspension has ended. */
export interface Suspended {
  readonly sessions_ended: number;
  /** The prefixes of the keys that it revoked. */
  readonly keys: readonly string[];
}

/**
 * Changes of owners that only commands of operators make. They connect as the owner of the schema; the service's role of
 * the database has no right to them.
 */
export interface OwnerAdministration {
  /**
   * Gives the owner the role, for every request that starts after this is acknowledged; false when nothing changed: the
   * owner already has it, or does not exist. Of concurrent calls with one role, one changes it.
   */
  setRole(owner_id: string, role: Role): Promise<boolean>;

  /** Gives the owner the tier, as `setRole` does a role. What the owner has beyond a smaller tier stays. */
  setTier(owner_id: string, tier: Tier): Promise<boolean>;

  /**
   * Suspends the owner: ends their sessions and one-time links, and revokes their unrevoked keys with a mark. It waits for submissions, logins
   * and new keys under way; after this is acknowledged none is accepted until `resume`. Null when there is no such owner, or
   * the owner is suspended; of concurrent calls one suspends.
   */
  suspend(owner_id: string): Promise<Suspended | null>;

  /**
   * Ends the suspension, and restores the keys that it revoked and no other, unless the account is to be erased
   * (`ErasureStore`); returns their names. Null when there is no such owner, or the owner is not suspended; of concurrent calls one resumes.
   */
  resume(owner_id: string): Promise<readonly string[] | null>;

  /** Removes the account at once, as `ErasureStore.remove` does one that is due. Null when there is no such owner. */
  remove(owner_id: string): Promise<AccountData | null>;
}
