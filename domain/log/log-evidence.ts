import type { Decision } from '../decisions/decision.ts';
import type { LifecycleState } from '../decisions/lifecycle.ts';
import type { ClosingReason } from './leaves/leaf.ts';
import type { DecisionOpening } from './leaves/opening.ts';
import type { GradedDecision, StatedDecision } from './leaves/public-statement.ts';
import type {
  DecisionSecrets,
  LoggedDecision,
  OutcomeSecrets,
  PendingEvent,
  ProvingCheckpoint,
  StoredLog,
} from './log-store.ts';
import type { NoteSignature } from './notes/note.ts';
import type { Plan } from './plan.ts';
import type { LeafRange } from './tree/tree.ts';

/** A checkpoint with all its signatures. */
export interface SignedCheckpoint extends ProvingCheckpoint {
  /** By witnesses, and by a second key of the log. */
  readonly further: readonly NoteSignature[];
}

/** What is stored about the leaf of a decision. */
export interface OpenedDecision extends DecisionSecrets {
  readonly record_id: string;
  readonly index: number;
  /** Null where the decision or its statement is gone. */
  readonly decision: LoggedDecision | null;
  /** Its owner was erased, which the audit log shows. */
  readonly erased: boolean;
}

/** What is stored about the leaf of an outcome. */
export interface OpenedOutcome extends OutcomeSecrets {
  readonly record_id: string;
  readonly index: number;
  /** The index of the leaf of the decision. */
  readonly of: number;
  /** Null where the grade is gone. */
  readonly graded: GradedDecision | null;
  /** The document of its evidence; null where none is stored. */
  readonly document: string | null;
}

/** What is stored about the leaf of a plan. */
export interface LeafOfPlan {
  readonly plan_id: string;
  readonly index: number;
  /** Null where the plan is gone. */
  readonly plan: Plan | null;
  /** Its owner was erased, which the audit log shows. */
  readonly erased: boolean;
}

/** The leaf of a decision that everybody may read, with what opens it. */
export interface PublicDecisionLeaf extends Pick<DecisionOpening, 'public_salt' | 'producer'> {
  readonly index: number;
  /** Its commitment is empty where its document is gone. */
  readonly decision: StatedDecision & Pick<Decision, 'commitment'>;
}

/** The leaf of the outcome of a decision that everybody may read, with what opens it. */
export interface PublicOutcomeLeaf extends Pick<OutcomeSecrets, 'evidence'> {
  readonly index: number;
  /** Hex. */
  readonly outcome_salt: string;
  readonly decision: Omit<LoggedGrade, 'facts'>;
  /** As they were logged, in JSON of one line, which nobody needs to parse; null where they are gone. */
  readonly facts: string | null;
}

/** What a public outcome is made of; null where it is gone. */
export type LoggedGrade = Pick<Decision, 'record_id' | 'result_bucket' | 'evaluated_at' | 'created_regime' | 'facts'>;

/** What of an entry bundle is about decisions that everybody may read. */
export interface PublicLeaves {
  /** The entry bundle as it is by now. */
  readonly leaves: Uint8Array;
  readonly decisions: readonly PublicDecisionLeaf[];
  readonly outcomes: readonly PublicOutcomeLeaf[];
  /** The checkpoints of the proofs of these decisions (`LogStore.firstWith`), the smallest first, with their logs. */
  readonly checkpoints: readonly (SignedCheckpoint & StoredLog)[];
}

/** A decision, and what the log has of it. */
export interface LogPlace {
  readonly record_id: string;
  /** Null where there is no such decision. */
  readonly lifecycle_state: LifecycleState | null;
  readonly hasOutcome: boolean;
  /** The indexes of its leaves, null without. */
  readonly index: number | null;
  readonly outcome_index: number | null;
  /** What has no leaf yet, in its order. */
  readonly pending: readonly { readonly event: PendingEvent['event']; readonly reason: ClosingReason | null }[];
}

export interface LogPlaces {
  /** The number of leaves at the time of this page. */
  readonly size: number;
  readonly places: readonly LogPlace[];
}

/** The evidence log with what its leaves are about, for checks that both agree. */
export interface LogEvidence {
  /** Every log, the oldest first. */
  logs(): Promise<readonly StoredLog[]>;

  /** The checkpoints of more than `size` leaves, of all logs that share these, the smallest first, up to `limit`. */
  checkpointsAfter(log: number, size: number, limit: number): Promise<readonly SignedCheckpoint[]>;

  /** What is stored about leaves of decisions in this range. */
  decisionsIn(log: number, range: LeafRange): Promise<readonly OpenedDecision[]>;

  /** What is stored about the outcomes of the decisions at these indexes. */
  outcomesOf(log: number, indexes: readonly number[]): Promise<readonly OpenedOutcome[]>;

  /**
   * The leaves of an entry bundle that are about decisions which everybody may read now, as far as a checkpoint with
   * them was published; by one statement. Null where no published checkpoint of the log reaches the bundle.
   */
  publicLeaves(log: number, bundle: number): Promise<PublicLeaves | null>;

  /** What is stored about leaves of plans in this range. */
  plansIn(log: number, range: LeafRange): Promise<readonly LeafOfPlan[]>;

  /** Up to `limit` plans without a leaf of which none is pending either. */
  lostPlans(log: number, limit: number): Promise<readonly string[]>;

  /**
   * A page of the decisions and of those that the log alone has, in the order of their ids, up to `limit` after `after`;
   * all of one point of time.
   */
  placesAfter(log: number, after: string | null, limit: number): Promise<LogPlaces>;
}
