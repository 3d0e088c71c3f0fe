/** Rows of one kind, as they are kept. */
export type KeptRows = readonly Readonly<Record<string, unknown>>[];

/** What is kept about an owner beside their records. */
export interface AccountData {
  /** By the name of their table; `owner` is one row. Passwords, keys, sessions and the hashes of them are left out. */
  readonly rows: Readonly<Record<string, KeptRows>>;
  /** How many decision records are theirs. */
  readonly records: number;
}

/** Everything that is kept about an owner, for whoever asks what that is or wants it gone (settled.md section 8). */
export interface OwnerDataStore {
  /** Null when there is no such owner. */
  account(owner_id: string): Promise<AccountData | null>;

  /** Up to `limit` of the owner's records, archived and quarantined ones too, by their ids, those after `after`. */
  recordIds(owner_id: string, after: string | null, limit: number): Promise<readonly string[]>;

  /**
   * Removes the owner with everything by which they sign in and everything that they named: identities, agents, keys,
   * sessions, acceptances, preferences, drafts. It waits for what is adding to it, and tells what there was in the end.
   * Records stay as they are, under an owner_id that leads to nobody. Null when there is no such owner; of callers at
   * once one removes.
   */
  remove(owner_id: string): Promise<AccountData | null>;
}
