import type { OutcomeFacts, OwnerFacts, ResultBucket, StoredBar } from '../grading/outcome.ts';
import type { Regime } from '../grading/regime.ts';
import { type Instrument, identityOf } from '../market/instrument.ts';
import type { LifecycleState } from './lifecycle.ts';
import type { AnalysisClass, Direction, HorizonKind, PerspectiveType, Relation, Submission } from './submission.ts';

/** From the anchor to the end of the horizon (evaluation.md sections 1 and 2). */
export interface Window<Time = Date> {
  readonly anchor_time: Time;
  readonly end_time: Time;
}

/** A decision record, everything that is known of it. What of it a reader may see is for `views.ts` to say. */
export interface Decision extends Instrument {
  readonly record_id: string;
  readonly owner_id: string;
  readonly agent_id: string;
  /** As the agent wrote it, upper-cased; only the owner's view shows it. */
  readonly submitted_symbol: string;
  readonly direction: Direction;
  readonly horizon_kind: HorizonKind;
  readonly horizon_value: number;
  readonly analysis_class: AnalysisClass;
  readonly perspective_type: PerspectiveType | null;
  readonly data_cutoff: Date;
  readonly submission_time: Date;
  readonly submission_origin: 'realtime' | 'retroactive';
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
  /** When a sweep looks at the record next; null when none will. */
  readonly due_at: Date | null;
  /** How often an evaluation was put off. */
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
  /** Hex. */
  readonly salt: string;
  readonly commitment: string;
  readonly related: readonly RelatedDecision[];
  readonly facts: OutcomeFacts | null;
  readonly owner_facts: OwnerFacts | null;
  /** The raw bars of the path; only read for the owner. */
  readonly bars: readonly StoredBar[] | null;
}

/** A record without what was said and what it points to: all that its state is told from. */
export type StandingDecision = Omit<
  Decision,
  'submission' | 'statement' | 'salt' | 'commitment' | 'related' | 'workflow_public'
>;

/** What was called, of which instrument and on which data: every view of a record shows it. */
export interface Call
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

/** Of a record its call, and nothing else. */
export function callOf(record: Call): Call {
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
   * Whether the related record is public-visible now and was so when this one was received. Only its owner could point
   * to it before, so such a link would tell others that both records have one producer.
   */
  readonly public: boolean;
}
