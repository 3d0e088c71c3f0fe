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

/** An account as operators see it: without anything that its owner wrote, but for the email. */
export interface ListedAccount {
  readonly owner_id: string;
  readonly email: string | null;
  readonly role: Role;
  readonly tier: Tier;
  readonly created_at: Date;
  readonly suspended_at: Date | null;
  /** Those that are not archived. */
  readonly agents: number;
  /** Those that are not revoked. */
  readonly keys: number;
  /** Those that have not expired, or were not pruned yet. */
  readonly sessions: number;
  readonly webhooks: number;
  /** All that were submitted. */
  readonly decisions: number;
}

/** An account has to match every member that is there. */
export interface AccountFilter {
  /** An owner_id, or the begin of an email, compared case-folded. */
  readonly find?: string | undefined;
  readonly role?: Role | undefined;
  readonly tier?: Tier | undefined;
  readonly suspended?: boolean | undefined;
}

export interface AccountReader {
  /** Up to `limit` accounts that match, the youngest first; only those before `before`, the owner_id of another. */
  list(filter: AccountFilter, before: string | null, limit: number): Promise<readonly ListedAccount[]>;
}

/**
 * The changes of accounts that an admin makes over HTTP, as `OwnerAdministration` makes them for commands. The service's
 * role of the database may make these and no others: `admin` has to be an admin in use, and the account must not be an
 * admin's; otherwise they throw, and change nothing. At the commit an entry of the audit log about the account has to be
 * there, by that admin.
 */
export interface AccountControl {
  setTier(owner_id: string, tier: Tier, admin: string): Promise<boolean>;
  suspend(owner_id: string, admin: string): Promise<Suspended | null>;
  resume(owner_id: string, admin: string): Promise<readonly string[] | null>;
}
