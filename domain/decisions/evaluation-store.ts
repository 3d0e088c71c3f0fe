import type { Deferred, Unavailable } from '../grading/evaluation.ts';
import type { SealedEvidence } from '../grading/evidence.ts';
import type { Outcome } from '../grading/outcome.ts';
import type { Decision } from './decision.ts';

/** A record whose evaluation this process holds the lease of. */
export interface ClaimedDecision {
  readonly decision: UnevaluatedDecision;
  /** Proves the lease. */
  readonly token: string;
}

/** What names a lease: the record and the token it was taken with. */
export type Lease = Pick<EvaluationEnd, 'record_id' | 'token'>;

/** A record without what only a reader needs. */
export type UnevaluatedDecision = Omit<
  Decision,
  'facts' | 'owner_facts' | 'bars' | 'related' | 'workflow_public' | 'statement' | 'salt' | 'commitment'
>;

/** It is not the time yet: another look at `until` counts as no attempt. */
export interface Postponed {
  readonly kind: 'postponed';
  readonly until: Date;
  readonly reason: 'not_settled' | 'source_unavailable' | 'fault';
  readonly detail: string;
  /** Where the calendar or the source has moved them. */
  readonly end_time?: Date;
  readonly settles_at?: Date;
}

/** An outcome and all that it was computed from. */
export interface Graded {
  readonly kind: 'evaluated';
  readonly outcome: Outcome;
  readonly evidence: SealedEvidence;
  /** Where the calendar has moved it. */
  readonly end_time?: Date;
}

/** How an evaluation of a claimed record ended. */
export interface EvaluationEnd {
  readonly record_id: string;
  readonly token: string;
  readonly result: Graded | Deferred | Unavailable | Postponed;
  /** When to try a `deferred` one again; null ends it as `data_unavailable`. */
  readonly retry_at: Date | null;
}

/** How far evaluation is behind. */
export interface Backlog {
  readonly due: number;
  /** When the first of them fell due; null when none waits. */
  readonly since: Date | null;
}

/** The records that are due, the leases under which they are evaluated, and the ends of evaluations. */
export interface EvaluationStore {
  /**
   * Takes up to `limit` records that are due at `now` into `evaluating`, earliest first, each with a new token and a
   * lease until `leaseUntil`. A record is never held under two valid tokens; one whose lease is over is taken again.
   */
  claimDue(now: Date, leaseUntil: Date, limit: number): Promise<readonly ClaimedDecision[]>;

  /**
   * Moves leases that are still the record's own, over or not, to end at `leaseUntil`; returns the record ids of those.
   * The others have been taken by somebody else.
   */
  renewLeases(held: readonly Lease[], leaseUntil: Date): Promise<readonly string[]>;

  /**
   * Ends evaluations; one whose token is no longer the record's own is ignored. Returns the record ids that ended here.
   * An `evaluated` record gets its outcome and the evidence of it in the same transaction, once and for ever.
   */
  endEvaluations(ends: readonly EvaluationEnd[], now: Date): Promise<readonly string[]>;

  /**
   * Ends every lease at `now`, so that its record is due; returns how many. For a process that knows that no other one
   * is left to hold one: whoever does all the same finds its token void once the record has been taken again.
   */
  endLeases(now: Date): Promise<number>;

  /** The earliest time at which a record becomes due; null when none is waiting. */
  nextDue(): Promise<Date | null>;

  /** The records that are due at `now` and that nobody has taken. */
  backlog(now: Date): Promise<Backlog>;
}
