import type { OutcomeFacts, OwnerFacts, ResultBucket, StoredBar } from '../grading/outcome.ts';
import type { Regime } from '../grading/paths/regime.ts';
import { LOG } from '../limits.ts';
import { type Instrument, identityOf } from '../market/instrument.ts';
import { MINUTE } from '../time.ts';
import type { AnalysisClass, Direction, HorizonKind, PerspectiveType, SubmissionOrigin } from './call.ts';
import type { LifecycleState } from './lifecycle.ts';
import type { Note } from './own/notes.ts';
import type { Relation, Submission } from './submission/submission.ts';

/** A decision record with everything that is known of it. `views.ts` decides what each reader may see. */
export interface Decision extends Instrument, LaterReading {
  readonly record_id: string;
  readonly owner_id: string;
  readonly agent_id: string;
  /** Among the decisions of its agent, from 1 without gaps; null of one from before there were numbers. */
  readonly number: number | null;
  /** Of the security on the date of the anchor, where that is not `symbol`, its key. */
  readonly name?: string | null;
  /** Of the decision group that it was submitted in; these three are null of every other decision. */
  readonly group_id: string | null;
  /** Among the horizons of the group, from 1: the first leads. */
  readonly group_place: number | null;
  /** How many horizons the group has. */
  readonly group_of: number | null;
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
  /** What its agent wrote about it after the outcome; only read for the owner, else null. */
  readonly notes: readonly Note[] | null;
  /** In the newest evidence log; null while it has no leaf there. */
  readonly log: LeafIndexes | null;
}

/**
 * What a record was read as when it was received, where statements that were learned later read its name as another
 * security: `symbol` and `cohort_key` are then those that it counts under. Absent or null of every other record.
 */
export interface LaterReading {
  readonly received_symbol?: string | null | undefined;
  readonly received_cohort_key?: string | null | undefined;
  /** When the statement was learned by which it counts so. */
  readonly counted_since?: Date | null | undefined;
  /** Whether its outcome is by the prices of another security than the one that it counts under. */
  readonly wrong_security?: boolean | undefined;
}

/** What a record was read as when it was received, for good. */
export function receivedReading({
  symbol,
  cohort_key,
  received_symbol,
  received_cohort_key,
}: Pick<LaterReading, 'received_symbol' | 'received_cohort_key'> & Pick<Decision, 'symbol' | 'cohort_key'>): Pick<
  Decision,
  'symbol' | 'cohort_key'
> {
  return { symbol: received_symbol ?? symbol, cohort_key: received_cohort_key ?? cohort_key };
}

/** What a record counts as since a statement was learned that reads its name otherwise. */
export interface CountedReading {
  readonly symbol: string;
  readonly cohort_key: string;
  readonly since: Date;
}

/** Absent where it is what the record was read as when it was received. */
export function countedReading({
  symbol,
  cohort_key,
  counted_since,
}: LaterReading & Pick<Decision, 'symbol' | 'cohort_key'>): { readonly counted_as?: CountedReading } {
  return counted_since ? { counted_as: { symbol, cohort_key, since: counted_since } } : {};
}

/** The group of a decision and its place there, as its owner sees it and its statement says. */
export interface GroupPlace {
  readonly id: string;
  readonly of: number;
  readonly place: number;
}

export type Grouped = Pick<Decision, 'group_id' | 'group_place' | 'group_of'>;

/** null of a decision that was submitted alone. */
export function groupOf({ group_id, group_place, group_of }: Grouped): GroupPlace | null {
  if (group_id === null || group_place === null || group_of === null) return null;
  return { id: group_id, of: group_of, place: group_place };
}

/**
 * Whether the decision is of a group in which another horizon leads: cohorts count it only where a query pins its horizon,
 * and others see it marked.
 */
export function isFurtherHorizon({ group_place }: Pick<Decision, 'group_place'>): boolean {
  return group_place !== null && group_place > 1;
}

/** The mark that others see; absent of every other decision. */
export function furtherHorizon(record: Pick<Decision, 'group_place'>): { readonly further_horizon?: true } {
  return isFurtherHorizon(record) ? { further_horizon: true } : {};
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
  'submission' | 'statement' | 'salt' | 'commitment' | 'related' | 'workflow_public' | 'notes' | 'log'
>;

/** What tables show to its owner: a record without its bars, notes and relations, which are most of the work to read. */
export type TabledDecision = Omit<Decision, 'salt' | 'related' | 'bars' | 'notes' | 'log'> & {
  readonly log: Omit<LeafIndexes, 'late'> | null;
};

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
    > {
  readonly name?: string;
  readonly counted_as?: CountedReading;
  readonly wrong_security?: true;
}

/** The same as it is stored: `symbol` and `cohort_key` are those that the record counts under. */
export type StoredHeader = Omit<DecisionHeader, 'name' | 'counted_as' | 'wrong_security'> &
  Pick<Decision, 'name'> &
  LaterReading;

/** The header of a record as it was received, without its other fields, and what it counts as where that is another. */
export function headerOf(record: StoredHeader): DecisionHeader {
  return {
    record_id: record.record_id,
    ...identityOf(record),
    ...receivedReading(record),
    ...(record.name ? { name: record.name } : {}),
    ...countedReading(record),
    ...(record.wrong_security ? { wrong_security: true } : {}),
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
