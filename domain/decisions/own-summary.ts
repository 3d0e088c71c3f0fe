import { identityOf } from '../market/instrument.ts';
import type { Window } from './decision.ts';
import type { ListedDecision } from './owner-records.ts';
import { type EvaluationProgress, evaluationProgress } from './views.ts';

/** A record in a list of its owner's: what stands in its row; the detail has the words and the outcome in full. */
export interface OwnSummary
  extends Pick<
    ListedDecision,
    | 'record_id'
    | 'market'
    | 'symbol'
    | 'venue'
    | 'asset_class'
    | 'quote_currency'
    | 'cohort_key'
    | 'direction'
    | 'analysis_class'
    | 'perspective_type'
    | 'horizon_kind'
    | 'horizon_value'
    | 'data_cutoff'
    | 'submission_time'
    | 'submission_origin'
    | 'created_regime'
    | 'lifecycle_state'
    | 'result_bucket'
    | 'archived_at'
    | 'archive_reason'
    | 'quarantine_reason'
  > {
  readonly window: Window;
  readonly workflow_ref: string | null;
  readonly expected_evaluation_at: Date;
  /** How far the price went, as fractions; null until the record is evaluated. */
  readonly path: PathFigures | null;
  readonly evaluation: EvaluationProgress;
}

export interface PathFigures {
  readonly raw_return: number;
  readonly directional_return: number | null;
  readonly mfe: number | null;
  readonly mae: number | null;
}

/** The symbol as it was submitted, like every owner's view. */
export function ownSummary(record: ListedDecision): OwnSummary {
  const { raw_return, directional_return, mfe, mae, anchor_time, end_time, workflow_hash } = record;
  return {
    record_id: record.record_id,
    ...identityOf(record),
    symbol: record.submitted_symbol,
    cohort_key: record.cohort_key,
    direction: record.direction,
    analysis_class: record.analysis_class,
    perspective_type: record.perspective_type,
    horizon_kind: record.horizon_kind,
    horizon_value: record.horizon_value,
    data_cutoff: record.data_cutoff,
    submission_time: record.submission_time,
    submission_origin: record.submission_origin,
    window: { anchor_time, end_time },
    workflow_ref: workflow_hash === null ? null : `wf:${workflow_hash}`,
    created_regime: record.created_regime,
    lifecycle_state: record.lifecycle_state,
    expected_evaluation_at: record.settles_at,
    result_bucket: record.result_bucket,
    path: raw_return === null ? null : { raw_return, directional_return, mfe, mae },
    evaluation: evaluationProgress(record),
    archived_at: record.archived_at,
    archive_reason: record.archive_reason,
    quarantine_reason: record.quarantine_reason,
  };
}
