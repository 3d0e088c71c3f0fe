/** Rows of one table, as stored. */
export type StoredRows = readonly Readonly<Record<string, unknown>>[];

/** What is stored about an owner besides their records. */
export interface AccountData {
  /** By the name of their table; `owner` is one row. Without passwords, keys, sessions and their hashes. */
  readonly rows: Readonly<Record<string, StoredRows>>;
  /** How many decision records the owner has. */
  readonly records: number;
}

/** Everything that is stored about an owner, to export it (settled.md section 8). */
export interface OwnerDataStore {
  /** Null when there is no such owner. */
  account(owner_id: string): Promise<AccountData | null>;

  /** Up to `limit` ids of the owner's records after `after`, in order, archived and quarantined ones too. */
  recordIds(owner_id: string, after: string | null, limit: number): Promise<readonly string[]>;
}
