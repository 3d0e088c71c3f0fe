import type { ResultBucket } from '../../grading/outcome.ts';
import { type DecisionHeader, headerOf } from '../decision.ts';
import { publicEvaluationTime } from './public-times.ts';

/** A public record as stored, a row of its cohort (interface.md 2.2); it names no owner and no agent. */
export interface PublicRow extends DecisionHeader {
  readonly result_bucket: ResultBucket;
  readonly evaluated_at: Date;
  /** The regime's label. */
  readonly created_regime: string | null;
  readonly raw_return: number;
  readonly directional_return: number | null;
  readonly mfe: number | null;
  readonly mae: number;
}

/** A public decision handle: a public record as a cohort lists it (settled.md section 6). */
export interface PublicHandle extends DecisionHeader, Pick<PublicRow, 'result_bucket' | 'created_regime'> {
  /** To the minute, rounded up. */
  readonly evaluated_at: Date;
  readonly path: Pick<PublicRow, 'raw_return' | 'directional_return' | 'mfe' | 'mae'>;
  /** Only where all five identity fields are pinned; null when it is unknown. */
  readonly cohort_current_regime?: string | null;
}

export function publicHandle(row: PublicRow): PublicHandle {
  const { raw_return, directional_return, mfe, mae } = row;
  return {
    ...headerOf(row),
    result_bucket: row.result_bucket,
    evaluated_at: publicEvaluationTime(row.evaluated_at),
    created_regime: row.created_regime,
    path: { raw_return, directional_return, mfe, mae },
  };
}
