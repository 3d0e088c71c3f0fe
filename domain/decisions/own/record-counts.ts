import { type HadSaidCounts, hadSaidCounts, moveRange, movesOfOne, moveZ } from '../../grading/bucket.ts';
import { isSuspected } from '../../grading/cohort-exception.ts';
import { RESULT_BUCKETS, type ResultBucket } from '../../grading/outcome.ts';
import type { Decision } from '../decision.ts';
import { UNAVAILABLE_STATES } from '../lifecycle.ts';
import { countsByBucket, type LeftOutCounts, leftOutCounts, type UngradedReason } from '../ungraded.ts';
import { isPublic } from '../visibility.ts';

/** How a record counts so far: by its bucket, without an outcome yet, or without any to come. */
export type RecordGroup = ResultBucket | 'pending' | 'unavailable';

/** A quarantined record still shows its bucket to its owner, and counts as unavailable; so does a suspected outcome. */
export function recordGroupOf(
  record: Pick<Decision, 'lifecycle_state' | 'result_bucket' | 'facts' | 'wrong_security'>,
): RecordGroup {
  if (countsByBucket(record) && record.result_bucket) return record.result_bucket;
  if (isPublic(record)) return 'unavailable';
  return UNAVAILABLE_STATES.includes(record.lifecycle_state) ? 'unavailable' : 'pending';
}

export type ResultDistribution = Readonly<Record<ResultBucket, number>>;

/** Raw counts; `submission_count` is the sum of the other three. */
export interface RecordCounts {
  readonly submission_count: number;
  readonly evaluated_count: number;
  /** May still be evaluated. */
  readonly pending_count: number;
  /** Rejected, without data, quarantined, or with prices that nothing explains. */
  readonly unavailable_count: number;
  /** The unavailable records except the quarantined ones, by the reason. */
  readonly ungraded: LeftOutCounts;
  readonly result_distribution: ResultDistribution;
  /**
   * The evaluated records by the bucket that each direction would have got; null under a filter by bucket, and until the
   * records of an earlier release are counted.
   */
  readonly had_said: HadSaidCounts | null;
}

/** The number of records in one group that are ungraded for the same reason, or moved within the same range. */
export interface RecordGroupCount {
  readonly record_group: RecordGroup;
  readonly ungraded: UngradedReason | null;
  /** `moveRange` of an evaluated record; null where it is not known yet, and for others. */
  readonly move: number | null;
  readonly records: number;
}

/** The range of the move of a record (`moveRange`); null without an outcome. */
export function moveRangeOf({
  direction,
  facts,
  wrong_security,
}: Pick<Decision, 'direction' | 'facts' | 'wrong_security'>): number | null {
  return facts === null || wrong_security || isSuspected(facts) ? null : moveRange(moveZ(direction, facts));
}

/** @param tallies of one facet, in which no record is twice */
export function countsOf(tallies: readonly RecordGroupCount[]): RecordCounts {
  const result_distribution = distributionOf(tallies);
  const evaluated_count = Object.values(result_distribution).reduce((sum, records) => sum + records, 0);
  return {
    submission_count: tallies.reduce((sum, { records }) => sum + records, 0),
    evaluated_count,
    pending_count: inGroup(tallies, 'pending'),
    unavailable_count: inGroup(tallies, 'unavailable'),
    ungraded: leftOutCounts(
      tallies.flatMap(({ ungraded, records }) => (ungraded === null ? [] : [{ reason: ungraded, records }])),
    ),
    result_distribution,
    had_said: hadSaidCounts(
      tallies.filter(hasOutcome).map(({ move, records }) => movesOfOne(move).map((n) => n * records)),
      evaluated_count,
    ),
  };
}

export function distributionOf(
  tallies: readonly Pick<RecordGroupCount, 'record_group' | 'records'>[],
): ResultDistribution {
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

function inGroup(tallies: readonly Pick<RecordGroupCount, 'record_group' | 'records'>[], wanted: RecordGroup): number {
  return tallies.reduce((sum, { record_group, records }) => (record_group === wanted ? sum + records : sum), 0);
}

/** Where a storage stores what is known of records by the month in which they were received. */
export interface RecordMonths {
  /**
   * Prepares what is missing for this month and the next two. What others use at that moment is left to the next call:
   * until then nothing fails, and records of a month that was never prepared are stored too.
   */
  addMissing(): Promise<void>;
}
