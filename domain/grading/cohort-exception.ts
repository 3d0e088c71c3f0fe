import type { OutcomeFacts } from './outcome.ts';

/**
 * Why cohorts do not count an outcome as others of its origin (evaluation-2.md section 6). A `suspected_split` is in no
 * cohort. One with a `carried_open` is counted only where retroactive ones are, and earns no credit.
 */
export type CohortException = 'suspected_split' | 'carried_open' | 'wrong_security';

/** null for an outcome that cohorts count by its origin alone. `wrong_security` follows from the names, not from facts. */
export function cohortException(facts: OutcomeFacts): CohortException | null {
  if (facts.method === 'eval/1') return null;
  // A suspected price counts as a suspected split (evaluation-3.md section 2).
  if (facts.suspected_split || (facts.method === 'eval/3' && facts.suspected_price)) return 'suspected_split';
  return facts.carried_open ? 'carried_open' : null;
}

/** The same of a record, whose names may say that its outcome is by the prices of another security. */
export function exceptionOf({ facts, wrong_security }: GradedRecord): CohortException | null {
  return wrong_security ? 'wrong_security' : facts && cohortException(facts);
}

/** What of a record says how cohorts count its outcome. */
export interface GradedRecord {
  readonly facts: OutcomeFacts | null;
  /** See `LaterReading`. */
  readonly wrong_security?: boolean | undefined;
}

/**
 * Whether no count by bucket has an outcome, because nothing explains its prices (evaluation-3.md section 3). Counts of
 * records have had those by `eval/2`, and keep them.
 */
export function isSuspected(facts: OutcomeFacts | null): boolean {
  return facts !== null && facts.method !== 'eval/2' && cohortException(facts) === 'suspected_split';
}
