import type { Tier } from '../../caller.ts';
import type { Suspended } from './owner-administration.ts';

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
