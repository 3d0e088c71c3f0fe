import { isSuspected } from '../grading/cohort-exception.ts';
import type { Decision } from './decision.ts';
import { isPublic } from './visibility.ts';

/**
 * Why a record ended without an outcome: `rejected`, or the reason for which it is `data_unavailable`, such as
 * `no_print`; `unknown` where none is stored.
 */
export type UngradedReason = string;

/**
 * null for a record that has an outcome, may still get one, or is quarantined. The same as app.ungraded_reason of the
 * database.
 */
export function ungradedReason({
  lifecycle_state,
  last_error,
}: Pick<Decision, 'lifecycle_state' | 'last_error'>): UngradedReason | null {
  if (lifecycle_state === 'rejected') return 'rejected';
  if (lifecycle_state !== 'data_unavailable') return null;
  return /^([a-z_]+): /.exec(last_error ?? '')?.[1] ?? 'unknown';
}

/** Records that ended without an outcome (evaluation-2.md section 5). Quarantined ones are not among them. */
export interface UngradedCounts {
  /** No source knows their instrument, or no source could be asked for 8 days. */
  readonly rejected: number;
  /** The most frequent reason first, equal ones by name. */
  readonly data_unavailable: readonly { readonly reason: UngradedReason; readonly total: number }[];
}

/** The same with the outcomes that a cohort, or a distribution of records, leaves out. */
export interface LeftOutCounts extends UngradedCounts {
  /** Outcomes with a price or a leap that nothing explains (evaluation-3.md section 3): graded, and in no count by bucket. */
  readonly suspected: number;
  /** Outcomes by the prices of another security, as a statement says that was learned later; absent without any. */
  readonly wrong_security?: number;
}

/** The reason of a record that is graded and in no count by bucket. */
export const SUSPECTED = 'suspected';
/** The same of an outcome by the prices of another security. */
export const WRONG_SECURITY = 'wrong_security';

/** Whether counts of records have the outcome of a record by its bucket. */
export function countsByBucket(record: Pick<Decision, 'lifecycle_state' | 'facts' | 'wrong_security'>): boolean {
  return isPublic(record) && !record.wrong_security && !isSuspected(record.facts);
}

/** Why counts of records have no bucket of a record: `ungradedReason`, `suspected` or `wrong_security`. */
export function uncountedReason(
  record: Pick<Decision, 'lifecycle_state' | 'last_error' | 'facts' | 'wrong_security'>,
): UngradedReason | null {
  if (isPublic(record) && record.wrong_security) return WRONG_SECURITY;
  return isPublic(record) && isSuspected(record.facts) ? SUSPECTED : ungradedReason(record);
}

/** The number of records that ended for one reason. */
export interface UngradedTally {
  readonly reason: UngradedReason;
  readonly records: number;
}

/** @param tallies those of `SUSPECTED` and `WRONG_SECURITY` among them */
export function leftOutCounts(tallies: readonly UngradedTally[]): LeftOutCounts {
  const counted = (of: UngradedReason) =>
    tallies.filter(({ reason }) => reason === of).reduce((sum, { records }) => sum + records, 0);
  const wrong = counted(WRONG_SECURITY);
  const others = tallies.filter(({ reason }) => reason !== SUSPECTED && reason !== WRONG_SECURITY);
  return { ...ungradedCounts(others), suspected: counted(SUSPECTED), ...(wrong > 0 && { wrong_security: wrong }) };
}

/** @param tallies of which several may have the same reason */
export function ungradedCounts(tallies: readonly UngradedTally[]): UngradedCounts {
  const totals = new Map<UngradedReason, number>();
  for (const { reason, records } of tallies) totals.set(reason, (totals.get(reason) ?? 0) + records);
  const { rejected = 0, ...others } = Object.fromEntries(totals);
  const data_unavailable = Object.entries(others).map(([reason, total]) => ({ reason, total }));
  return {
    rejected,
    data_unavailable: data_unavailable.toSorted((a, b) => b.total - a.total || (a.reason < b.reason ? -1 : 1)),
  };
}
