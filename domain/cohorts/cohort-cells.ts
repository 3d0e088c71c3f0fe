/** A stored count that differs from the records. */
export interface CellFault {
  /** Describes the count. */
  readonly cell: string;
  /** null where no count is stored. */
  readonly kept: string | null;
  readonly counted: string | null;
}

/**
 * Counts that are stored in advance, so that reading a cohort, the counts of an agent or the use of a workflow takes the
 * same time for many records as for few.
 */
export interface CohortCells {
  /**
   * Takes up to `limit` records, 1 to 100,000, that became public into the counts. Returns how many: fewer than `limit`
   * only when none are left. All or nothing; a `CohortReader` returns the same before, during and after it.
   */
  fold(limit: number): Promise<number>;

  /**
   * Takes up to `limit` changes of records, 1 to 100,000, into the counts of agents and workflows, likewise: their
   * readers return the same before, during and after it.
   */
  foldTracks(limit: number): Promise<number>;

  /**
   * Begins one of the counts by periods that a market needs once its longer periods have at least so many records.
   * Returns how many it began: 0 when none is missing. All or nothing; a `CohortReader` returns the same before, during
   * and after it.
   */
  extend(records: number): Promise<number>;

  /**
   * Counts up to `limit` records, 1 to 10,000, that an earlier release graded by what each direction would have got.
   * Returns how many: fewer than `limit` only when none are left that no other transaction holds. Until then the
   * `had_said` of the cohorts of such records is null.
   */
  countMoves(limit: number): Promise<number>;

  /**
   * The number of public records that are not in the counts yet, and when the first of them was graded; null without
   * any.
   */
  unfolded(): Promise<{ readonly records: number; readonly since: Date | null }>;

  /** The number of changes of records that are not in the counts of agents and workflows yet. */
  unfoldedChanges(): Promise<number>;

  /** Counts everything again and returns each difference; records may become public or cease to be meanwhile. */
  check(): Promise<readonly CellFault[]>;

  /** Builds all counts again; meanwhile readers use the old ones. */
  rebuild(): Promise<void>;
}
