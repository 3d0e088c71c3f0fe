/** How far the sweep is that deletes the expired rows of a table. */
export interface ExpiryPass {
  readonly table: string;
  /** Rows that were deleted since the table is pruned in parts. */
  readonly deleted: number;
  /** Every row that had expired by then is deleted; null before the first whole pass. */
  readonly clean_until: Date | null;
}

export interface ExpiryProgress {
  /** One for each table that is pruned in parts, by name; none in a storage that deletes everything at once. */
  passes(): Promise<readonly ExpiryPass[]>;
}
