import { PERSPECTIVE_TYPES, type PerspectiveType } from '../decisions/call.ts';
import { hadSaidCounts, type MoveCounts } from '../grading/had-said.ts';
import { RESULT_BUCKETS, type ResultBucket } from '../grading/outcome.ts';
import type { CohortCounts } from './cohort-reader.ts';
import type { CountedAs } from './counted-as.ts';

/** Records of a cohort that are equal in everything its counts distinguish. */
export interface AlikeRecords {
  readonly perspective_type: PerspectiveType | null;
  readonly result_bucket: ResultBucket;
  readonly submission_origin: CountedAs;
  readonly n: number;
  /** Of data_cutoff. */
  readonly earliest: Date;
  readonly latest: Date;
  readonly moves: MoveCounts;
}

/** Adds up the parts of a cohort; parts may be equal and may come in any order. */
export function addUp(parts: readonly AlikeRecords[], enoughProducers: boolean): CohortCounts {
  const total = (matches: (part: AlikeRecords) => boolean) =>
    parts.reduce((sum, part) => (matches(part) ? sum + part.n : sum), 0);
  const buckets = RESULT_BUCKETS.map((bucket) => [bucket, total(({ result_bucket }) => result_bucket === bucket)]);
  const samples = total(() => true);
  return {
    samples,
    retroactive: total(({ submission_origin }) => submission_origin === 'retroactive'),
    buckets: Object.fromEntries(buckets) as Record<ResultBucket, number>,
    had_said: hadSaidCounts(
      parts.map(({ moves }) => moves),
      samples,
    ),
    earliest: farthest(
      parts.map(({ earliest }) => earliest.getTime()),
      Math.min,
    ),
    latest: farthest(
      parts.map(({ latest }) => latest.getTime()),
      Math.max,
    ),
    perspectives: [...PERSPECTIVE_TYPES, null]
      .map((perspective_type) => ({
        perspective_type,
        total: total((part) => part.perspective_type === perspective_type),
      }))
      .filter((each) => each.total > 0)
      .toSorted((a, b) => b.total - a.total),
    enoughProducers,
  };
}

function farthest(times: readonly number[], pick: (a: number, b: number) => number): Date | null {
  return times.length === 0 ? null : new Date(times.reduce((a, b) => pick(a, b)));
}
