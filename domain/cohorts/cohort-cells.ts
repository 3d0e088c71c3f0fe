/** A count that was kept in advance and differs from what the records say. */
export interface CellFault {
  /** Which one, in words. */
  readonly cell: string;
  /** null where there is none. */
  readonly kept: string | null;
  readonly counted: string | null;
}

/** Counts that are kept in advance, so that cohorts are read as fast from many records as from few. */
export interface CohortCells {
  /**
   * Takes up to `limit` records, 1 to 100,000, that became public into the counts; how many it were: fewer than `limit` only when none
   * are left. It is all or nothing, and what a `CohortReader` tells is the same before, meanwhile and afterwards.
   */
  fold(limit: number): Promise<number>;

  /** The public records that are not in the counts yet, and when the first of them was graded; null without any. */
  unfolded(): Promise<{ readonly records: number; readonly since: Date | null }>;

  /** Counts everything anew and tells each difference; records may become public or cease to be meanwhile. */
  check(): Promise<readonly CellFault[]>;

  /** Makes all of them anew; meanwhile readers go on with those there were. */
  rebuild(): Promise<void>;
}
