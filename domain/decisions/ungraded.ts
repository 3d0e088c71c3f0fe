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
}

/** The reason of a record that is graded and in no count by bucket. */
export const SUSPECTED = 'suspected';

/** Whether counts of records have the outcome of a record by its bucket. */
export function countsByBucket(record: Pick<Decision, 'lifecycle_state' | 'facts'>): boolean {
  return isPublic(record) && !isSuspected(record.facts);
}

/** Why counts of records have no bucket of a record: `ungradedReason`, or `suspected`. */
export function uncountedReason(
  record: Pick<Decision, 'lifecycle_state' | 'last_error' | 'facts'>,
): UngradedReason | null {
  return isPublic(record) && isSuspected(record.facts) ? SUSPECTED : ungradedReason(record);
}

/** The number of records that ended for one reason. */
export interface UngradedTally {
  readonly reason: UngradedReason;
  readonly records: number;
}

/** @param tallies those of `SUSPECTED` among them */
export function leftOutCounts(tallies: readonly UngradedTally[]): LeftOutCounts {
  const suspected = tallies.filter(({ reason }) => reason === SUSPECTED).reduce((sum, { records }) => sum + records, 0);
  return { ...ungradedCounts(tallies.filter(({ reason }) => reason !== SUSPECTED)), suspected };
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
