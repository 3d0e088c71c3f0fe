import { reasonToWithhold, type Thresholds } from '../cohorts/suppression.ts';
import { RESULT_BUCKETS, type ResultBucket } from '../grading/outcome.ts';
import { MINUTE } from '../time.ts';
import type { RecordsOfWorkflow, UsageCounts } from './workflow-reader.ts';

/** What an owner is told of the use of a workflow (settled.md section 11). */
export interface Usage {
  readonly decisions: {
    readonly total: number;
    readonly evaluated: number;
    /** null while the part of others in it is withheld. */
    readonly result_distribution: RecordsOfWorkflow['buckets'] | null;
  };
  readonly forks: number;
  readonly snapshots: number;
  /** To the minute, as the records of others tell it. */
  readonly last_used_at: Date | null;
}

/**
 * Own records are counted in whatever state, those of others once they are public. How theirs came out is told as of a
 * cohort: from so many records by so many producers on. An owner knows their own, so only what others made counts for
 * that.
 */
export function usageOf({ own, others, forks, snapshots }: UsageCounts, thresholds: Thresholds): Usage {
  const cohort = { samples: others.evaluated, enoughProducers: others.enoughProducers };
  const isWithheld = others.evaluated > 0 && reasonToWithhold({ result: cohort, whole: cohort }, thresholds) !== null;
  const together = RESULT_BUCKETS.map((bucket) => [bucket, own.buckets[bucket] + others.buckets[bucket]]);
  return {
    decisions: {
      total: own.total + others.total,
      evaluated: own.evaluated + others.evaluated,
      result_distribution: isWithheld ? null : (Object.fromEntries(together) as Record<ResultBucket, number>),
    },
    forks,
    snapshots,
    last_used_at: minuteOf(Math.max(...[own, others].map(({ last_used_at }) => last_used_at?.getTime() ?? 0))),
  };
}

function minuteOf(at: number): Date | null {
  return at === 0 ? null : new Date(Math.floor(at / MINUTE) * MINUTE);
}
