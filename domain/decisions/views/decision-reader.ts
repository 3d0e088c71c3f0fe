import type { Decision, DecisionStatus } from '../decision.ts';

export interface DecisionReader {
  /**
   * The existing ones of the records, in no order and as `withVerification` shows them. `bars` are read only where
   * `viewer` owns the record.
   */
  find(record_ids: readonly string[], viewer: string | null): Promise<readonly Decision[]>;

  /** The same records without their submissions and relations, which are most of the data. */
  findStatus(record_ids: readonly string[], viewer: string | null): Promise<readonly DecisionStatus[]>;
}
