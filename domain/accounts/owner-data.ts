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
