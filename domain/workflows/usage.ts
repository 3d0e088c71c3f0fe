import { reasonToWithhold, type Thresholds } from '../cohorts/suppression.ts';
import { RESULT_BUCKETS, type ResultBucket } from '../grading/outcome.ts';
import { MINUTE } from '../time.ts';
import type { RecordsOfWorkflow, UsageCounts } from './workflow-reader.ts';

/** What an owner sees of the use of a workflow (settled.md section 11). */
export interface Usage {
  readonly decisions: {
    readonly total: number;
    readonly evaluated: number;
    /** null while the part that is from others is withheld. */
    readonly result_distribution: RecordsOfWorkflow['buckets'] | null;
  };
  readonly forks: number;
  readonly snapshots: number;
  /** To the minute, as views of others' records show it. */
  readonly last_used_at: Date | null;
}

/**
 * Own records count in any state, those of others once they are public. The outcomes of others' records are shown like
 * those of a cohort: from a minimum of records by a minimum of producers on. Owners know their own records, so only
 * those of others count towards these.
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
