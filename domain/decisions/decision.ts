import type { OutcomeFacts, OwnerFacts, ResultBucket, StoredBar } from '../grading/outcome.ts';
import type { Regime } from '../grading/paths/regime.ts';
import { LOG } from '../limits.ts';
import { type Instrument, identityOf } from '../market/instrument.ts';
import { MINUTE } from '../time.ts';
import type { AnalysisClass, Direction, HorizonKind, PerspectiveType, SubmissionOrigin } from './call.ts';
import type { LifecycleState } from './lifecycle.ts';
import type { Relation, Submission } from './submission/submission.ts';

/** A decision record with everything that is known of it. `views.ts` decides what each reader may see. */
export interface Decision extends Instrument {
  readonly record_id: string;
  readonly owner_id: string;
  readonly agent_id: string;
  /** Among the decisions of its agent, from 1 without gaps; null of one from before there were numbers. */
  readonly number: number | null;
  /** As the agent wrote it, upper-cased; only the owner's view shows it. */
  readonly submitted_symbol: string;
  readonly direction: Direction;
  readonly horizon_kind: HorizonKind;
  readonly horizon_value: number;
  readonly analysis_class: AnalysisClass;
  readonly perspective_type: PerspectiveType | null;
  readonly data_cutoff: Date;
  readonly submission_time: Date;
  readonly submission_origin: SubmissionOrigin;
  /** The name of the evaluation method, fixed at receipt; one that this version does not know is of a later one. */
  readonly method: string;
  readonly anchor_time: Date;
  readonly end_time: Date;
  /** When the prices of the window are settled, so that it can be evaluated (evaluation.md section 6). */
  readonly settles_at: Date;
  readonly cohort_key: string;
  readonly isolation_snapshot_id: string | null;
  readonly workflow_hash: string | null;
  /** Whether the attributed snapshot is public. */
  readonly workflow_public: boolean;
  readonly lifecycle_state: LifecycleState;
  /**
   * When a sweep processes the record next; null when none will. Readers show a record in `pending_verify` with the
   * time, the attempts and the error of the verification of its instrument (`withVerification`).
   */
  readonly due_at: Date | null;
  /** How often an evaluation was deferred. */
  readonly attempts: number;
  readonly last_error: string | null;
  readonly evaluated_at: Date | null;
  readonly result_bucket: ResultBucket | null;
  readonly created_regime: Regime | null;
  readonly archived_at: Date | null;
  readonly archive_reason: string | null;
  readonly quarantine_reason: string | null;
  readonly submission: Submission;
  readonly statement: string;
  /** Hex; null once its owner was erased, when the statement is an `ErasedStatement`. */
  readonly salt: string | null;
  readonly commitment: string;
  readonly related: readonly RelatedDecision[];
  readonly facts: OutcomeFacts | null;
  readonly owner_facts: OwnerFacts | null;
  /** The raw bars of the path; only read for the owner. */
  readonly bars: readonly StoredBar[] | null;
  /** In the newest evidence log; null while it has no leaf there. */
  readonly log: LeafIndexes | null;
}

/** Where the leaves of a decision are in a log (docs/log.md). */
export interface LeafIndexes {
  readonly index: number;
  /** Null while the log has no leaf of its grade. */
  readonly outcome_index: number | null;
  /** Whether the leaf of a realtime decision was signed later than promised; null of others, and of those older than the log. */
  readonly late: boolean | null;
}

/**
 * Whether a decision was logged late, as the service itself knows it.
 * @param signed_at of the first checkpoint with its leaf; null: not yet
 * @param started_at of the log
 */
export function isLoggedLate(
  { submission_origin, submission_time }: Pick<Decision, 'submission_origin' | 'submission_time'>,
  { signed_at, started_at }: { readonly signed_at: Date | null; readonly started_at: Date },
): boolean | null {
  if (submission_origin !== 'realtime' || submission_time <= started_at) return null;
  const minute = Math.floor(submission_time.getTime() / MINUTE) * MINUTE;
  return signed_at !== null && signed_at.getTime() > minute + MINUTE + LOG.includedWithin;
}

/** A record without its submission and relations: everything that its state view needs. */
export type DecisionStatus = Omit<
  Decision,
  'submission' | 'statement' | 'salt' | 'commitment' | 'related' | 'workflow_public' | 'log'
>;

/** Direction, horizon, instrument and data of a record: every view of it shows them. */
export interface DecisionHeader
  extends Instrument,
    Pick<
      Decision,
      | 'record_id'
      | 'cohort_key'
      | 'direction'
      | 'analysis_class'
      | 'perspective_type'
      | 'horizon_kind'
      | 'horizon_value'
      | 'data_cutoff'
      | 'submission_origin'
    > {}

/** The header of a record, without its other fields. */
export function headerOf(record: DecisionHeader): DecisionHeader {
  return {
    record_id: record.record_id,
    ...identityOf(record),
    cohort_key: record.cohort_key,
    direction: record.direction,
    analysis_class: record.analysis_class,
    perspective_type: record.perspective_type,
    horizon_kind: record.horizon_kind,
    horizon_value: record.horizon_value,
    data_cutoff: record.data_cutoff,
    submission_origin: record.submission_origin,
  };
}

export interface RelatedDecision {
  readonly record_id: string;
  readonly relation: Relation;
  /**
   * Whether the related record is public-visible now and was so when this one was received. Before that only its owner
   * could point to it, so such a link would reveal that both records have one producer.
   */
  readonly public: boolean;
}
