import type { ResultBucket } from '../../grading/outcome.ts';
import { type DecisionHeader, headerOf } from '../decision.ts';
import { publicEvaluationTime } from './public-times.ts';
import { type Faulted, faultOf, hasFigures, type RowFigures } from './record-fault.ts';

/** A public record as stored, a row of its cohort (interface.md 2.2); it names no owner and no agent. */
export interface PublicRow extends DecisionHeader, RowFigures {
  readonly result_bucket: ResultBucket;
  readonly evaluated_at: Date;
  /** The regime's label. */
  readonly created_regime: string | null;
}

/** A public decision handle: a public record as a cohort lists it (settled.md section 6). */
export interface PublicHandle extends DecisionHeader, Pick<PublicRow, 'result_bucket' | 'created_regime'>, Faulted {
  /** To the minute, rounded up. */
  readonly evaluated_at: Date;
  /** null where the fault says so. */
  readonly path: ReadableFigures | null;
  /** Only where all five identity fields are pinned; null when it is unknown. */
  readonly cohort_current_regime?: string | null;
}

interface ReadableFigures extends RowFigures {
  readonly raw_return: number;
  readonly mae: number;
}

export function publicHandle(row: PublicRow): PublicHandle {
  return {
    ...headerOf(row),
    result_bucket: row.result_bucket,
    evaluated_at: publicEvaluationTime(row.evaluated_at),
    created_regime: row.created_regime,
    ...publicPath(row),
  };
}

function publicPath(row: RowFigures): Pick<PublicHandle, 'path' | 'fault'> {
  if (!hasFigures(row)) return { path: null, ...faultOf(['path']) };
  const { raw_return, directional_return, mfe, mae } = row;
  return { path: { raw_return, directional_return, mfe, mae } };
}
