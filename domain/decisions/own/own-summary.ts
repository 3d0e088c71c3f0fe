import type { Window } from '../call.ts';
import { type DecisionHeader, headerOf } from '../decision.ts';
import { type Faulted, type FaultPart, faultOf, faultyInRow } from '../views/record-fault.ts';
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
    CreatedRegime,
    Faulted {
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
  const faulty = faultyInRow(record);
  const hasPath = raw_return !== null && !faulty.includes('path');
  return {
    ...headerOf(record),
    symbol: record.submitted_symbol,
    submission_time: record.submission_time,
    window: { anchor_time, end_time },
    method: record.method,
    workflow_ref: refOf(record),
    ...regimeOf(faulty.includes('created_regime') ? { created_regime: null } : record),
    lifecycle_state: record.lifecycle_state,
    expected_evaluation_at: expectedEvaluation(record, gap),
    result_bucket: record.result_bucket,
    path: hasPath ? { raw_return, directional_return, mfe, mae } : null,
    evaluation: evaluationProgress(record, gap),
    archived_at: record.archived_at,
    archive_reason: record.archive_reason,
    quarantine_reason: record.quarantine_reason,
    ...faultOf(faulty),
  };
}

/** In the owner's own list the figures of the path have z too, as the outcome has it. */
export interface GradedSummary extends Omit<OwnSummary, 'path'> {
  readonly path: (PathFigures & { readonly z: number | null }) | null;
}

/** @param outcome z, null without one, and what of its outcome cannot be read */
export function gradedSummary<Summary extends OwnSummary>(summary: Summary, outcome: OutcomeOfRow) {
  const { z, faulty } = outcome;
  const parts = new Set([...(summary.fault?.parts ?? []), ...faulty]);
  return { ...summary, path: summary.path === null ? null : { ...summary.path, z }, ...faultOf([...parts]) };
}

export interface OutcomeOfRow {
  readonly z: number | null;
  readonly faulty: readonly FaultPart[];
}
