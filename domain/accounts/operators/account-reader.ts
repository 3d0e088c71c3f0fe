import type { Role, Tier } from '../../caller.ts';

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
