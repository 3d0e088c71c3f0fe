/** The tables whose rows are counted when they are removed with their owner. */
export const REMOVED_TABLES = [
  'identities',
  'agents',
  'api_keys',
  'sessions',
  'legal_acceptances',
  'workflows',
] as const;

/** Rows of one table, as stored. */
export type StoredRows = readonly Readonly<Record<string, unknown>>[];

/** What is stored about an owner besides their records. */
export interface AccountData {
  /** By the name of their table; `owner` is one row. Without passwords, keys, sessions and their hashes. */
  readonly rows: Readonly<Record<string, StoredRows>>;
  /** How many decision records the owner has. */
  readonly records: number;
}

/** The tables of an owner's own copy, besides records and security events; counters of limits are not in it. */
export const OWN_TABLES = [
  'owner',
  'identities',
  'agents',
  'api_keys',
  'sessions',
  'totp_secrets',
  'recovery_codes',
  'passkeys',
  'legal_acceptances',
  'webhooks',
  'mails',
  'workflows',
  'workflow_publications',
  'plans',
  'backtest_sets',
  'backtest_rows',
] as const;

export type OwnTable = (typeof OWN_TABLES)[number];

export interface RowPage {
  /** As in `AccountData`. */
  readonly rows: StoredRows;
  /** Where the next page begins; null after the last one. */
  readonly next: string | null;
}

/** Everything that is stored about an owner, to export it (settled.md section 8). */
export interface OwnerDataStore {
  /** Null when there is no such owner. */
  account(owner_id: string): Promise<AccountData | null>;

  /**
   * A page of an owner's rows of a table. Pages contain each row that stays exactly once.
   * @param after the `next` of the page before; null for the first one
   */
  rows(owner_id: string, table: OwnTable, after: string | null, limit: number): Promise<RowPage>;

  /**
   * Up to `limit` ids of the owner's records after the record `after`, in the order in which they were submitted, archived
   * and quarantined ones too.
   */
  recordIds(owner_id: string, after: string | null, limit: number): Promise<readonly string[]>;
}

/** A step of the erasure of what an owner wrote. */
export interface ErasureStep {
  /** How many records it erased. */
  readonly written: number;
  /** `waiting`: the rest is being evaluated or changed, and is erased later; `ended`, once; `none`: no erasure is under way. */
  readonly state: 'more' | 'waiting' | 'ended' | 'none';
}

/** How much was removed with an account. */
export interface RemovedAccount {
  /** Rows by the name of their table, as in `AccountData`: those of `REMOVED_TABLES`. */
  readonly removed: Readonly<Record<(typeof REMOVED_TABLES)[number], number>>;
  /** How many decision records stay. */
  readonly records: number;
}

/** Erasures for operators. */
export interface ErasureOverview {
  /** Accounts whose erasure can still be taken back. */
  readonly scheduled: number;
  /** Accounts that are removed, and whose records are not erased yet. */
  readonly under_way: number;
  /** When the oldest erasure was due that has not ended; null without one. */
  readonly due_since: Date | null;
  /** Records whose text is erased, of all owners. */
  readonly records: number;
}

/**
 * The erasure of owners. An erasure is scheduled, and can be taken back until the account is removed. Then what the owner
 * wrote is erased in steps: the owner-only text of records, salts, published workflows. Nothing else removes any of that.
 * The records stay, as does what others see of them.
 */
export interface ErasureStore {
  /**
   * Schedules the erasure of an account after `ERASURE.grace`, and stops its keys; returns when it will be. What is scheduled stays as it is. It
   * waits for submissions and new keys under way; after this is acknowledged none is accepted until it is taken back. Null
   * without the account.
   */
  schedule(owner_id: string): Promise<Date | null>;

  /**
   * Takes an erasure back, and restores the keys that it stopped and no other: at once, or at the end of a suspension.
   * Returns the names of those that work again; null when nothing was scheduled. Of concurrent calls one takes it back.
   */
  takeBack(owner_id: string): Promise<readonly string[] | null>;

  /** Up to `limit` accounts that are due now. */
  due(limit: number): Promise<readonly string[]>;

  /** Up to `limit` owners whose accounts are removed and whose erasure has not ended. */
  unfinished(limit: number): Promise<readonly string[]>;

  /**
   * Removes an account that is due, with its ways to sign in and everything that it named: identities, agents, keys,
   * sessions, acceptances, preferences, drafts, webhooks. It waits for writes under way, and returns how much it removed.
   * Null for an account that is not due; of concurrent calls one removes.
   */
  remove(owner_id: string): Promise<RemovedAccount | null>;

  /** Removes stored replies, deliveries and rows of back-tests of an account that is due, up to `limit` of each; how many. */
  clear(owner_id: string, limit: number): Promise<number>;

  /** Empties plans, and removes notes, events and published workflows, of an owner whose account is removed, up to `limit`; how many. */
  eraseTraces(owner_id: string, limit: number): Promise<number>;

  /**
   * Erases what such an owner wrote in the next records, up to `limit`. One that is being evaluated, or changed, is left to
   * a later step, so that no outcome brings anything back.
   */
  eraseRecords(owner_id: string, limit: number): Promise<ErasureStep>;

  /** Up to `limit` owners after `after` whose accounts are removed, by id, with the times of the removal. */
  removedAfter(after: string | null, limit: number): Promise<readonly RemovedOwner[]>;

  overview(): Promise<ErasureOverview>;
}

export interface RemovedOwner {
  readonly owner_id: string;
  readonly removed_at: Date;
}
