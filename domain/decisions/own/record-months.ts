/** Where a storage stores what is known of records by the month in which they were received. */
export interface RecordMonths {
  /**
   * Prepares what is missing for this month and the next two. What others use at that moment is left to the next call:
   * until then nothing fails, and records of a month that was never prepared are stored too.
   */
  addMissing(): Promise<void>;
}
