import type { Window } from '../call.ts';
import { type DecisionHeader, headerOf } from '../decision.ts';
import {
  type CreatedRegime,
  type EvaluationProgress,
  evaluationProgress,
  expectedEvaluation,
  refOf,
  regimeOf,
} from '../views/views.ts';
import type { ListedDecision } from './owner-records.ts';

/** A record in its owner's list: the fields of its row. The detail has the agent's words and the outcome in full. */
export interface OwnSummary
  extends DecisionHeader,
    Pick<
      ListedDecision,
      'submission_time' | 'lifecycle_state' | 'result_bucket' | 'archived_at' | 'archive_reason' | 'quarantine_reason'
    >,
    CreatedRegime {
  readonly window: Window;
  /** The name of the evaluation method, fixed at receipt. */
  readonly method: string;
  readonly workflow_ref: string | null;
  /** null without prospect (`expectedEvaluation`). */
  readonly expected_evaluation_at: Date | null;
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

/**
 * Shows the symbol as it was submitted, like every owner's view.
 * @param gap why no configured source can grade the record; null where one can
 */
export function ownSummary(record: ListedDecision, gap: string | null): OwnSummary {
  const { raw_return, directional_return, mfe, mae, anchor_time, end_time } = record;
  return {
    ...headerOf(record),
    symbol: record.submitted_symbol,
    submission_time: record.submission_time,
    window: { anchor_time, end_time },
    method: record.method,
    workflow_ref: refOf(record),
    ...regimeOf(record),
    lifecycle_state: record.lifecycle_state,
    expected_evaluation_at: expectedEvaluation(record, gap),
    result_bucket: record.result_bucket,
    path: raw_return === null ? null : { raw_return, directional_return, mfe, mae },
    evaluation: evaluationProgress(record, gap),
    archived_at: record.archived_at,
    archive_reason: record.archive_reason,
    quarantine_reason: record.quarantine_reason,
  };
}

/** In the owner's own list the figures of the path have z too, as the outcome has it. */
export interface GradedSummary extends Omit<OwnSummary, 'path'> {
  readonly path: (PathFigures & { readonly z: number | null }) | null;
}

/** @param z of its outcome; null without one */
export function gradedSummary<Summary extends OwnSummary>(summary: Summary, z: number | null) {
  return { ...summary, path: summary.path === null ? null : { ...summary.path, z } };
}
