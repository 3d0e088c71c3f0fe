import { RESULT_BUCKETS, type ResultBucket } from '../grading/outcome.ts';
import type { Decision } from './decision.ts';
import { UNAVAILABLE_STATES } from './lifecycle.ts';
import { type UngradedCounts, type UngradedReason, ungradedCounts } from './ungraded.ts';
import { isPublic } from './visibility.ts';

/** How a record counts so far: by its bucket, without an outcome yet, or without any to come. */
export type RecordGroup = ResultBucket | 'pending' | 'unavailable';

/** A quarantined record still shows its bucket to its owner, and counts as unavailable. */
export function recordGroupOf(record: Pick<Decision, 'lifecycle_state' | 'result_bucket'>): RecordGroup {
  if (isPublic(record) && record.result_bucket) return record.result_bucket;
  return UNAVAILABLE_STATES.includes(record.lifecycle_state) ? 'unavailable' : 'pending';
}

export type ResultDistribution = Readonly<Record<ResultBucket, number>>;

/** Raw counts; `submission_count` is the sum of the other three. */
export interface RecordCounts {
  readonly submission_count: number;
  readonly evaluated_count: number;
  /** May still be evaluated. */
  readonly pending_count: number;
  /** Rejected, without data, or quarantined. */
  readonly unavailable_count: number;
  /** The unavailable records except the quarantined ones, by the reason. */
  readonly ungraded: UngradedCounts;
  readonly result_distribution: ResultDistribution;
}

/** The number of records in one group that are ungraded for the same reason. */
export interface RecordGroupCount {
  readonly record_group: RecordGroup;
  readonly ungraded: UngradedReason | null;
  readonly records: number;
}

/** @param tallies of one facet, in which no record is twice */
export function countsOf(tallies: readonly RecordGroupCount[]): RecordCounts {
  const result_distribution = distributionOf(tallies);
  return {
    submission_count: tallies.reduce((sum, { records }) => sum + records, 0),
    evaluated_count: Object.values(result_distribution).reduce((sum, records) => sum + records, 0),
    pending_count: inGroup(tallies, 'pending'),
    unavailable_count: inGroup(tallies, 'unavailable'),
    ungraded: ungradedCounts(
      tallies.flatMap(({ ungraded, records }) => (ungraded === null ? [] : [{ reason: ungraded, records }])),
    ),
    result_distribution,
  };
}

export function distributionOf(tallies: readonly Omit<RecordGroupCount, 'ungraded'>[]): ResultDistribution {
  return {
    strong_correct: inGroup(tallies, 'strong_correct'),
    weak_correct: inGroup(tallies, 'weak_correct'),
    weak_incorrect: inGroup(tallies, 'weak_incorrect'),
    strong_incorrect: inGroup(tallies, 'strong_incorrect'),
  };
}

/** Whether any of them has an outcome. */
export function hasOutcome({ record_group }: Pick<RecordGroupCount, 'record_group'>): boolean {
  return RESULT_BUCKETS.some((bucket) => bucket === record_group);
}

function inGroup(tallies: readonly Omit<RecordGroupCount, 'ungraded'>[], wanted: RecordGroup): number {
  return tallies.reduce((sum, { record_group, records }) => (record_group === wanted ? sum + records : sum), 0);
}
