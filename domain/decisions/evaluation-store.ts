import type { Deferred, Unavailable } from '../grading/evaluation.ts';
import type { SealedEvidence } from '../grading/evidence.ts';
import type { Grid } from '../grading/grid.ts';
import type { Outcome } from '../grading/outcome.ts';
import type { Instrument } from '../market/instrument.ts';
import type { Decision } from './decision.ts';
import type { LifecycleState, Move } from './lifecycle.ts';
import type { UngradedCounts } from './ungraded.ts';

/** A record for whose evaluation this process holds the lease. */
export interface ClaimedDecision<Call extends GradableDecision = UnevaluatedDecision> {
  readonly decision: Call;
  /** Proves the lease. */
  readonly token: string;
}

/** What an evaluation reads of a record. */
export type GradableDecision = Instrument &
  Pick<Decision, 'record_id' | 'direction' | 'horizon_kind' | 'horizon_value' | 'data_cutoff' | 'submission'> &
  Pick<Decision, 'submission_origin' | 'method' | 'anchor_time' | 'end_time' | 'attempts'>;

/** Identifies a lease: the record and the token of the claim. */
export type Lease = Pick<EvaluationEnd, 'record_id' | 'token'>;

/** A record without the fields that only readers need. */
export type UnevaluatedDecision = Omit<
  Decision,
  | 'facts'
  | 'owner_facts'
  | 'bars'
  | 'related'
  | 'workflow_public'
  | 'statement'
  | 'salt'
  | 'commitment'
  | 'notes'
  | 'log'
>;

/** The evaluation came too early: another look at `until` does not count as an attempt. */
export interface Postponed {
  readonly kind: 'postponed';
  readonly until: Date;
  readonly reason: 'not_settled' | 'source_unavailable' | 'fault';
  readonly detail: string;
  /** Set where the calendar or the source has moved it. */
  readonly end_time?: Date;
  readonly settles_at?: Date;
}

/** An outcome and everything that it was computed from. */
export interface Graded {
  readonly kind: 'evaluated';
  readonly outcome: Outcome;
  readonly evidence: SealedEvidence;
  /** `publicGrid` of the record. */
  readonly grid: Grid | null;
  /** Set where the calendar has moved it. */
  readonly end_time?: Date;
}

/** Why an evaluation has no outcome, now or ever. */
export type Ungraded = Deferred | Unavailable | Postponed;

/** The end of a claimed record's evaluation. */
export interface EvaluationEnd<Grade extends { readonly kind: 'evaluated' } = Graded> {
  readonly record_id: string;
  readonly token: string;
  readonly result: Grade | Ungraded;
  /** When to try a `deferred` one again; null ends it as `data_unavailable`. */
  readonly retry_at: Date | null;
}

/** The storage refuses what one of these ends holds, now and later; by a fault of ours, for all of them are computed. */
export class RefusedEnds extends Error {}

/** The deferrals that an operator can end: by a row of actions, or by better prices. */
export const UNEXPLAINED = ['suspected_split', 'suspected_price', 'action_contradicts_prices'] as const;

export interface Unexplained {
  /** The key of the instrument. */
  readonly instrument: string;
  /** As the owner reads it: the reason and what was found. */
  readonly last_error: string;
}

/** How far evaluation is behind. */
export interface Backlog {
  /** Records of methods that this version knows. */
  readonly due: number;
  /** When the first of them became due; null when none waits. */
  readonly since: Date | null;
  /** Further due records, whose method this version does not know: only a newer one grades them. */
  readonly of_unknown_methods: number;
}

/** Records in the states that end without an outcome. When a record came into its state is not stored. */
export interface Failures {
  readonly rejected: FailureCount;
  readonly data_unavailable: FailureCount;
  /** The `recent` ones of `data_unavailable` by reason, the most frequent first, equal ones by name. */
  readonly recent_reasons: UngradedCounts['data_unavailable'];
}

export interface FailureCount {
  readonly total: number;
  /** Those of them that were submitted at or after the time of the question. */
  readonly recent: number;
}

/** The records that are due, the leases under which they are evaluated, and the ends of evaluations. */
export interface EvaluationStore {
  /**
   * Moves up to `limit` records that are due at `now` into `evaluating`, earliest first, each with a new token and a
   * lease until `leaseUntil`; only records of a method that this version knows. A record never has two valid tokens; one
   * whose lease is over is claimed again.
   */
  claimDue(now: Date, leaseUntil: Date, limit: number): Promise<readonly ClaimedDecision[]>;

  /**
   * Whether ends of evaluations that were planned by the names up to this statement are written now (`end`), are to be
   * planned again, since a newer one was learned (`plan`), or are not, since one is being learned (`wait`). But for `wait`
   * none is learned before the transaction ends that asks. Without a statement all are known.
   */
  mayEnd(names?: number): Promise<'end' | 'plan' | 'wait'>;

  /**
   * Extends leases whose token is still the record's own, over or not, to end at `leaseUntil`; returns the record ids
   * of those. The other records have been claimed again, or something else holds them now.
   */
  renewLeases(held: readonly Lease[], leaseUntil: Date): Promise<readonly string[]>;

  /**
   * Ends evaluations; one whose token is no longer the record's own is ignored. Returns the record ids that ended here.
   * An `evaluated` record gets its outcome and the evidence of it in the same transaction, once and for ever.
   * @param names the newest statement about names by which they were planned; without it all are known. Where a newer one
   *   was learned, none ends and all are due; while one is being learned, none ends, and their leases run out.
   * @throws RefusedEnds where the storage refuses what one of them holds; then none has ended
   */
  endEvaluations(ends: readonly EvaluationEnd[], now: Date, names?: number): Promise<readonly string[]>;

  /**
   * Ends every lease at `now`, so that its record is due; returns how many. For a process that knows that it is alone.
   * A process that holds a lease all the same finds its token void once the record has been claimed again.
   */
  endLeases(now: Date): Promise<number>;

  /** The earliest time at which a record of a known method becomes due; null when none is waiting. */
  nextDue(): Promise<Date | null>;

  /** The records that are due at `now` and not claimed. */
  backlog(now: Date): Promise<Backlog>;

  /** When a record was submitted of the first day (UTC) of which any is stored; null: none is. */
  firstSubmitted(): Promise<Date | null>;

  /** When a record was graded last that is not under quarantine; null: none was. */
  lastGraded(): Promise<Date | null>;

  /**
   * Why decisions wait for an explanation of their prices (`UNEXPLAINED`), with their instrument: each pair once, in the
   * order of both, at most `limit`.
   */
  unexplained(limit: number): Promise<readonly Unexplained[]>;

  /** The records that are `rejected` or `data_unavailable` now. */
  failures(submittedSince: Date): Promise<Failures>;
}

/** The moves that end an evaluation. */
type EndingMove = Extract<Move, 'grade' | 'defer' | 'give_up' | 'postpone'>;

/** What an evaluation without an outcome changes of its record, besides the state. */
interface Continuation {
  /** When a sweep processes the record next; null when none will. */
  readonly due_at: Date | null;
  /** What is added to the record's attempts: only a deferral counts as one (evaluation.md section 6). */
  readonly attempted: 0 | 1;
  readonly last_error: string;
}

/** The move that ends an evaluation: a deferral without a time for another try gives up. */
export function moveOf({ result, retry_at }: SomeEnd): EndingMove {
  switch (result.kind) {
    case 'evaluated':
      return 'grade';
    case 'postponed':
      return 'postpone';
    case 'deferred':
      return retry_at === null ? 'give_up' : 'defer';
    case 'data_unavailable':
      return 'give_up';
  }
}

type SomeEnd = Pick<EvaluationEnd<{ readonly kind: 'evaluated' }>, 'result' | 'retry_at'>;

/**
 * The state after the end of an evaluation. A postponed record returns to its earlier state: `deferred` once it has
 * been deferred, `verified` before.
 * @param attempts how often the record was deferred before this evaluation
 */
export function stateAfter(move: EndingMove, attempts: number): LifecycleState {
  switch (move) {
    case 'grade':
      return 'evaluated';
    case 'postpone':
      return attempts > 0 ? 'deferred' : 'verified';
    case 'defer':
      return 'deferred';
    case 'give_up':
      return 'data_unavailable';
  }
}

/**
 * How a record continues after an evaluation without an outcome.
 * @throws TypeError for an end with an outcome
 */
export function continuationOf(end: SomeEnd): Continuation {
  const { result, retry_at } = end;
  if (result.kind === 'evaluated') throw new TypeError('An evaluated record has an outcome');
  const due_at = result.kind === 'postponed' ? result.until : moveOf(end) === 'defer' ? retry_at : null;
  return {
    due_at,
    attempted: result.kind === 'deferred' ? 1 : 0,
    last_error: `${result.reason}: ${result.detail}`,
  };
}
