import { type HadSaidCounts, hadSaidCounts, movesOfOne } from '../../grading/bucket.ts';
import type { ResultBucket } from '../../grading/outcome.ts';
import { DAY, utcDate } from '../../time.ts';
import { DIRECTIONS, type Direction } from '../call.ts';
import type { Decision } from '../decision.ts';
import { distributionOf, type ResultDistribution } from './record-counts.ts';

/** What outcomes are counted by: the week, from Monday on, or the month of UTC in which a window ended. */
export const OUTCOME_PERIODS = ['week', 'month'] as const;
export type OutcomePeriod = (typeof OUTCOME_PERIODS)[number];

/** Which graded records are counted; null filters nothing. */
export interface OutcomeFilter {
  readonly agent_id: string | null;
  /** The window ended at or after it. */
  readonly since: Date | null;
}

type Origin = Decision['submission_origin'];

/** The number of graded records of one period that are alike. */
export interface PeriodTally {
  /** The first day of the period, `2026-11-23`. */
  readonly period: string;
  readonly submission_origin: Origin;
  readonly direction: Direction;
  /** null: graded, and in no count by bucket (`countsByBucket`). */
  readonly result_bucket: ResultBucket | null;
  /** `moveRange`; null where it is not known. */
  readonly move: number | null;
  readonly records: number;
}

/** The graded records of one origin whose windows ended in one period. */
export interface PeriodOutcomes {
  readonly period: string;
  readonly submission_origin: Origin;
  readonly result_distribution: ResultDistribution;
  readonly by_direction: Readonly<Record<Direction, ResultDistribution>>;
  /** By the bucket that each direction would have got; null until the records of an earlier release are counted. */
  readonly had_said: HadSaidCounts | null;
  /** Graded, and in no count by bucket. */
  readonly uncounted_count: number;
}

/** The counts of each period and origin that has a graded record, the first period first, realtime before retroactive. */
export function outcomesByPeriod(tallies: readonly PeriodTally[]): readonly PeriodOutcomes[] {
  const groups = Map.groupBy(tallies, ({ period, submission_origin }) => `${period} ${submission_origin}`);
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, [first, ...others]]) => {
      return first ? [outcomesOf(first, [first, ...others])] : [];
    });
}

function outcomesOf({ period, submission_origin }: PeriodTally, tallies: readonly PeriodTally[]): PeriodOutcomes {
  const counted = tallies.flatMap(({ result_bucket: record_group, ...tally }) =>
    record_group === null ? [] : [{ ...tally, record_group }],
  );
  const sumOf = (all: readonly { readonly records: number }[]) => all.reduce((sum, { records }) => sum + records, 0);
  const by_direction = Object.fromEntries(
    DIRECTIONS.map((direction) => [direction, distributionOf(counted.filter((each) => each.direction === direction))]),
  ) as Record<Direction, ResultDistribution>;
  const moves = counted.map(({ move, records }) => movesOfOne(move).map((n) => n * records));
  return {
    period,
    submission_origin,
    result_distribution: distributionOf(counted),
    by_direction,
    had_said: hadSaidCounts(moves, sumOf(counted)),
    uncounted_count: sumOf(tallies) - sumOf(counted),
  };
}

const MONDAY = 3;

/** The first day of the period that contains a time, as the database's `date_trunc` of the time in UTC. */
export function periodOf(at: Date, by: OutcomePeriod): string {
  if (by === 'month') return `${utcDate(at).slice(0, 7)}-01`;
  const day = Math.floor(at.getTime() / DAY);
  // 1 January 1970 was a Thursday.
  return utcDate((day - ((((day + MONDAY) % 7) + 7) % 7)) * DAY);
}
